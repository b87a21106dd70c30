// SPDX-License-Identifier: Apache-2.0
// Printers of Scalemark's own formats, and helpers shared by all printers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <nlohmann/json.hpp>

#include "common/print/printer.hpp"

namespace scalemark::print {

/// Printers of `table` and `csv`.
std::shared_ptr<ResultSink> make_table_printer(std::ostream& out, const PrintOptions& options);
std::shared_ptr<ResultSink> make_csv_printer(std::ostream& out, const PrintOptions& options);
/// Prints one JSON array.
std::shared_ptr<ResultSink> make_json_printer(std::ostream& out, const PrintOptions& options);
/// Prints one JSON object per line.
std::shared_ptr<ResultSink> make_jsonl_printer(std::ostream& out, const PrintOptions& options);
/// A case as JSON, without analyses over several cases.
nlohmann::ordered_json case_json(const CaseResult& result);

/// The value of an axis as text; empty if the case does not have the axis.
std::string param_text(const CaseResult& result, const char* axis);
/// The value of an integer axis; nothing if the case does not have it.
std::optional<std::int64_t> param_integer(const CaseResult& result, const char* axis);
/// The key of a case without its name and `bytes`: " backend=mpi memory=host ranks=2".
std::string params_without_bytes(const CaseResult& result);

/// Program and file of an imported run: "OSU Micro-Benchmarks 7.4, imported from latency.txt".
/// Empty if Scalemark measured the run.
std::string foreign_origin(const Run& run);

/// Why a case has no row: its status, its reason, and `why` if given.
std::string left_out_because(const CaseResult& result, const std::string& why = "");

/// Base class of printers. They implement begin, add and end, and ignore the calls for the journal.
class Printer : public ResultSink {
 public:
  Printer(std::ostream& out, PrintOptions options) : out_(out), options_(options) {}
  void begin(const Run& /*run*/) override {}
  void started(const CaseResult& /*planned*/) final {}
  void phase(const CaseResult& /*current*/) final {}
  void end(const Run& /*run*/) override { out_.flush(); }

 protected:
  std::ostream& out() { return out_; }
  const PrintOptions& options() const { return options_; }
  /// Prints a comment line for a case that the format cannot show. `why`: the reason, if the case
  /// itself does not state one.
  void print_left_out(const CaseResult& result, const std::string& why = "");

 private:
  std::ostream& out_;
  PrintOptions options_;
};

}  // namespace scalemark::print
