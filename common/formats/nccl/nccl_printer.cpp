// SPDX-License-Identifier: Apache-2.0
// Prints the text of nccl-tests 2.19.6, with their own statistics.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/formats/nccl/nccl_table.hpp"
#include "common/formats/osu/osu_columns.hpp"
#include "common/formats/printers.hpp"
#include "common/print/planned_tables.hpp"
#include "common/print/printers.hpp"

namespace scalemark::formats {
namespace {

/// A row has two halves (out of place, in place), measured by separate cases; one may be missing. A
/// table is therefore kept until all its planned cases were added, or until the run ends.
class NcclPrinter final : public print::Printer {
 public:
  using print::Printer::Printer;

  void begin(const Run& run) override {
    const std::string_view whole = version();
    fmt::print(out(), "# scalemark {} {}\n", whole.substr(0, whole.rfind('.')), kNcclFormat);
    if (const std::string origin = print::foreign_origin(run); !origin.empty())
      fmt::print(out(), "# Measured by {}; not by Scalemark\n", origin);
    ranks_ = run.ranks;
    planned_.begin(run);
  }

  void add(const CaseResult& result) override {
    const std::string table = planned_.table_of(result);
    if (const std::string reason = take(table, result); !reason.empty()) {
      fmt::print(out(), "# not in this format: {}: {}\n", text::printable(result.key), reason);
    }
    if (planned_.case_done(table)) print(table);
    out().flush();
  }

  void end(const Run& run) override {
    while (!tables_.empty()) print(tables_.front().first);
    print::Printer::end(run);
  }

 private:
  /// Adds a half row. Returns the reason if the case has none, else an empty text.
  std::string take(const std::string& name, const CaseResult& result) {
    const NcclTest* test = nccl_test_of(result);
    const auto point = test == nullptr ? std::nullopt : nccl_point(*test, result);
    const bool is_wrong = result.status == Status::failed && has_wrong_data(result);
    const std::string why = point ? why_no_numbers(point->measure) : "";
    if (test != nullptr && is_wrong && (!point || !why.empty()))
      table_named(name, *test, result).add_wrong();
    if (!point || (result.status != Status::ok && !is_wrong))
      return print::left_out_because(result);
    if (!why.empty()) return print::left_out_because(result, why);
    if (table_named(name, *test, result).add(*point)) return "";
    return "another case has its row";
  }

  NcclTable& table_named(const std::string& name, const NcclTest& test, const CaseResult& result) {
    const auto found = std::find_if(tables_.begin(), tables_.end(),
                                    [&](const auto& table) { return table.first == name; });
    if (found != tables_.end()) return found->second;
    return tables_.emplace_back(name, NcclTable(test, result)).second;
  }

  void print(const std::string& name) {
    const auto found = std::find_if(tables_.begin(), tables_.end(),
                                    [&](const auto& table) { return table.first == name; });
    if (found == tables_.end()) return;
    if (!found->second.empty()) found->second.print(out(), ranks_);
    tables_.erase(found);
  }

  std::vector<RankInfo> ranks_;
  print::PlannedTables planned_{{"bytes", "in_place"}};
  std::vector<std::pair<std::string, NcclTable>> tables_;  ///< in order of their first case
};

}  // namespace

std::shared_ptr<ResultSink> make_nccl_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<NcclPrinter>(out, options);
}

}  // namespace scalemark::formats
