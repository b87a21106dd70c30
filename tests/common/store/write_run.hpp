// SPDX-License-Identifier: Apache-2.0
// Writing a run as `scalemark run` does.
#pragma once

#include "common/store/writer.hpp"

namespace scalemark::test {

/// begin, the run's cases, end.
inline void write_run(const WriterOptions& options, const Run& run) {
  FileSink sink(options);
  sink.begin(run);
  for (const CaseResult& result : run.cases) {
    sink.started(result);
    sink.phase(result);
    sink.add(result);
  }
  sink.end(run);
}

inline void write_run(const std::filesystem::path& output, const Run& run) {
  WriterOptions options;
  options.output = output;
  write_run(options, run);
}

}  // namespace scalemark::test
