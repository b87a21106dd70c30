// SPDX-License-Identifier: Apache-2.0
// One function a format, and what they share.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/formats/import.hpp"

namespace scalemark::formats {

/// What an importer reads.
struct ImportSource {
  std::filesystem::path file;
  ImportOptions options;
};

/// A complete run without cases. `tool` and `version` are those of the program that measured;
/// `identity` is all that makes the run what it is: equal ones get equal uuids, so that compare
/// refuses the same run given twice.
Run imported_run(const ImportSource& source, std::string_view tool, std::string_view version,
                 std::string_view identity);

/// A run to which cases are added one after the other.
class RunBuilder {
 public:
  explicit RunBuilder(Run run) : run_(std::move(run)) {}

  /// Adds a case behind the others. Throws InputError that begins with `place` if its key is there.
  void add(CaseResult result, const std::string& place);
  bool empty() const { return run_.cases.empty(); }
  Run& run() { return run_; }
  Run take() { return std::move(run_); }

 private:
  Run run_;
  std::set<std::string> keys_;
};

/// Who measured what Scalemark printed after an import: "# Measured by OSU Micro-Benchmarks 7.4,
/// imported from latency.txt; not by Scalemark".
struct ForeignProgram {
  std::string tool, version;
};
/// Nothing for any other line.
std::optional<ForeignProgram> foreign_program(std::string_view line);

/// JSON Lines of runs (docs/integration.md).
void import_runs(const ImportSource& source, const ImportTaker& taker);
/// Printed tables.
void import_osu(const ImportSource& source, const ImportTaker& taker);
void import_imb(const ImportSource& source, const ImportTaker& taker);
void import_nccl(const ImportSource& source, const ImportTaker& taker);
/// One JSON document.
void import_nccl_json(const ImportSource& source, const ImportTaker& taker);
void import_nvbandwidth(const ImportSource& source, const ImportTaker& taker);
void import_google_benchmark(const ImportSource& source, const ImportTaker& taker);

}  // namespace scalemark::formats
