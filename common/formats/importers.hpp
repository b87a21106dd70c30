// SPDX-License-Identifier: Apache-2.0
// One import function per format, and helpers that importers share.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/formats/import.hpp"

namespace scalemark::formats {

/// Input of an importer.
struct ImportSource {
  std::filesystem::path file;
  ImportOptions options;
};

/// A complete run without cases. `tool` and `version`: the program that measured. `identity`: the
/// content that identifies the run. Equal contents get equal uuids, so `compare` refuses a run
/// given twice.
Run imported_run(const ImportSource& source, std::string_view tool, std::string_view version,
                 std::string_view identity);

/// Builds a run case by case.
class RunBuilder {
 public:
  explicit RunBuilder(Run run) : run_(std::move(run)) {}

  /// Appends a case. Throws InputError starting with `place` if its key exists already.
  void add(CaseResult result, const std::string& place);
  bool empty() const { return run_.cases.empty(); }
  Run& run() { return run_; }
  Run take() { return std::move(run_); }

 private:
  Run run_;
  std::set<std::string> keys_;
};

/// The program that measured results which Scalemark imported and printed: "# Measured by OSU
/// Micro-Benchmarks 7.4, imported from latency.txt; not by Scalemark".
struct ForeignProgram {
  std::string tool, version;
};
/// Parses that line; empty for any other line.
std::optional<ForeignProgram> foreign_program(std::string_view line);

/// JSON Lines of runs (docs/integration.md).
void import_runs(const ImportSource& source, const ImportTaker& taker);
/// Text tables.
void import_osu(const ImportSource& source, const ImportTaker& taker);
void import_imb(const ImportSource& source, const ImportTaker& taker);
void import_nccl(const ImportSource& source, const ImportTaker& taker);
/// JSON documents.
void import_nccl_json(const ImportSource& source, const ImportTaker& taker);
void import_nvbandwidth(const ImportSource& source, const ImportTaker& taker);
void import_google_benchmark(const ImportSource& source, const ImportTaker& taker);

}  // namespace scalemark::formats
