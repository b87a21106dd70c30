// SPDX-License-Identifier: Apache-2.0
// A folder with a run that was interrupted, for tests.
#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/store/writer.hpp"
#include "tests/common/store/example.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::test {

/// The text of the exception of that type.
template <typename Expected>
std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Expected& error) {
    return error.what();
  }
  return "(not thrown)";
}

class Interrupted : public ::testing::Test {
 protected:
  /// Begins a run of three cases, finishes the first ones and begins the next; then nothing more.
  void interrupt(std::size_t finished, const std::string& phase = "measure") {
    FileSink sink(options());
    sink.begin(example_run());
    for (std::size_t i = 0; i < finished; ++i) finish(sink, i);
    begin_case(sink, finished, phase);
  }
  static void finish(FileSink& sink, std::size_t index) {
    sink.started(example_case(index));
    sink.add(example_case(index));
  }
  static void begin_case(FileSink& sink, std::size_t index, const std::string& phase) {
    CaseResult begun = example_case(index);
    sink.started(begun);
    begun.phase = phase;
    sink.phase(begun);
  }
  WriterOptions options(bool resume = false, bool force = false) const {
    return {.output = output_, .force = force, .resume = resume};
  }
  static std::string refusal(const WriterOptions& given, const scalemark::Run& run) {
    return message<UsageError>([&] { FileSink(given).begin(run); });
  }

  TempDir folder_;
  std::filesystem::path output_ = folder_ / "a.h5", parts_ = folder_ / "a.h5.parts";
};

}  // namespace scalemark::test
