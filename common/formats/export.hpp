// SPDX-License-Identifier: Apache-2.0
// Converts runs to formats of other programs.
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
  bool summary = false;      ///< csv: one line per metric instead of one per sample
  bool repetitions = false;  ///< google-benchmark: every iteration besides the aggregates
  /// mlperf-system: values of keys that cannot be read from the environment.
  std::map<std::string, std::string> fields;
};

/// Output stream of an export, and receiver of its notes.
struct ExportTarget {
  std::ostream& out;
  /// Receives a sentence about something left out of the output.
  std::function<void(const std::string&)> note;
};

struct ExportFormat {
  std::string name, what;
};
/// All formats in the order of the documentation.
std::vector<ExportFormat> export_formats();

/// A sink that writes one run case by case: begin, add, end. The target's stream must outlive it.
/// Throws UsageError for an unknown format. The sink throws UsageError if the run has nothing that
/// the format can hold.
std::shared_ptr<ResultSink> make_export(std::string_view format, const ExportOptions& options,
                                        const ExportTarget& target);

}  // namespace scalemark::formats
