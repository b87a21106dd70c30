// SPDX-License-Identifier: Apache-2.0
// Runs for other programs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/sink.hpp"

namespace scalemark::formats {

struct ExportOptions {
  bool summary = false;      ///< csv: a line a metric instead of a line a sample
  bool repetitions = false;  ///< google-benchmark: every iteration, beside what follows from them
  /// mlperf-system: values of keys that no environment tells.
  std::map<std::string, std::string> fields;
};

/// Where an export goes.
struct ExportTarget {
  std::ostream& out;
  /// What is not in the output, in a sentence.
  std::function<void(const std::string&)> note;
};

struct ExportFormat {
  std::string name, what;
};
/// In the order of the documentation.
std::vector<ExportFormat> export_formats();

/// A sink that writes one run case by case: begin, add, end. The target's stream must outlive it.
/// Throws UsageError for an unknown format; so do its calls where the run holds nothing that the
/// format could say.
std::shared_ptr<ResultSink> make_export(std::string_view format, const ExportOptions& options,
                                        const ExportTarget& target);

}  // namespace scalemark::formats
