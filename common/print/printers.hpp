// SPDX-License-Identifier: Apache-2.0
// The printers of our own formats, and what all printers share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <nlohmann/json.hpp>

#include "common/print/printer.hpp"

namespace scalemark::print {

std::shared_ptr<ResultSink> make_table_printer(std::ostream& out, const PrintOptions& options);
std::shared_ptr<ResultSink> make_csv_printer(std::ostream& out, const PrintOptions& options);
/// One array.
std::shared_ptr<ResultSink> make_json_printer(std::ostream& out, const PrintOptions& options);
/// One object a line.
std::shared_ptr<ResultSink> make_jsonl_printer(std::ostream& out, const PrintOptions& options);
/// What the JSON of a case says of it alone.
nlohmann::ordered_json case_json(const CaseResult& result);

/// The value of an axis as text; empty where the case does not have it.
std::string param_text(const CaseResult& result, const char* axis);
/// The value of an axis of integers; nothing where the case does not have it.
std::optional<std::int64_t> param_integer(const CaseResult& result, const char* axis);
/// What stands in the key of a case beside its name and size: " backend=mpi memory=host ranks=2".
std::string params_without_bytes(const CaseResult& result);

/// Who measured a run that was imported, and the file it came from; empty where Scalemark measured.
std::string foreign_origin(const Run& run);

/// Status and reason of a case that has no row, and `why` behind them.
std::string left_out_because(const CaseResult& result, const std::string& why = "");

/// A printer needs begin, add and end; the journal's calls are not for it.
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
  /// A comment in place of a row that the format has no words for; `why` where the case itself
  /// does not say it.
  void print_left_out(const CaseResult& result, const std::string& why = "");

 private:
  std::ostream& out_;
  PrintOptions options_;
};

}  // namespace scalemark::print
