// SPDX-License-Identifier: Apache-2.0
// Prints the text of the OSU micro-benchmarks 7.4, with OSU's own statistics.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/formats/osu/osu_columns.hpp"
#include "common/formats/osu/osu_tests.hpp"
#include "common/formats/printers.hpp"
#include "common/print/planned_tables.hpp"
#include "common/print/printers.hpp"

namespace scalemark::formats {
namespace {

constexpr std::string_view kSizeHeading = "# Size";

/// The size: with gaps between the blocks, if there are any.
std::string size_text(const CaseResult& result) {
  if (!is_spaced(result)) return print::param_text(result, "bytes");
  const auto* extent = find_as<std::int64_t>(result.facts, kOsuExtent);
  return extent == nullptr ? "" : std::to_string(*extent);
}

/// MPI's name of the data type: from the key, else Scalemark's default.
std::string osu_datatype(const OsuTest& test, const CaseResult& result) {
  const std::string dtype = print::param_text(result, "dtype");
  for (const OsuType& type : kOsuTypes) {
    if (dtype == type.dtype) return type.osu_name;
  }
  return dtype.empty() ? test.datatype : dtype;
}

/// As stated by another program, else as the key says. MPI allocates no device memory.
std::string window_creation(const CaseResult& result) {
  if (const auto said = result.facts.find("window_creation"); said != result.facts.end())
    return text::printable(to_text(said->second));
  const bool is_on_device = print::param_text(result, "memory") == "device";
  const std::string creation = print::param_text(result, "window_creation");
  return osu_name(kOsuWindows, creation.empty() && is_on_device ? "create" : creation);
}

/// "NCCL" etc. if MPI does not do the transfer. One-sided tests print the name of MPI's operation.
std::string library_of(const OsuTest& test, const CaseResult& result) {
  std::string backend = print::param_text(result, "backend");
  if (backend.empty() || backend == "mpi") return test.library;
  std::transform(backend.begin(), backend.end(), backend.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return backend;
}

/// Right-aligned, with at least one blank on the left.
std::string osu_cell(std::string_view text, std::size_t width) {
  return fmt::format("{:>{}}", text, std::max(width, text.size() + 1));
}

class OsuPrinter final : public print::Printer {
 public:
  using print::Printer::Printer;

  void begin(const Run& run) override {
    planned_.begin(run);
    const std::string origin = print::foreign_origin(run);
    is_ours_ = origin.empty();
    if (!is_ours_) fmt::print(out(), "# Measured by {}; not by Scalemark\n", origin);
  }

  void add(const CaseResult& result) override {
    const OsuTest* test = osu_test_of(result);
    const std::string table = planned_.table_of(result);
    why_not_.clear();
    const std::string text = test == nullptr                     ? ""
                             : test->table == OsuTable::start_up ? sentence(*test, result)
                                                                 : row(*test, result, table);
    if (text.empty()) {
      print_left_out(result, why_not_);
    } else {
      queue_.add(table, text);
    }
    if (planned_.case_done(table)) queue_.finish(table);
    out().flush();
  }

  void end(const Run& run) override {
    queue_.finish();
    print::Printer::end(run);
  }

 private:
  /// Title and sentence; empty if the format cannot show the case.
  std::string sentence(const OsuTest& test, const CaseResult& result) const {
    const std::string said = result.status == Status::ok ? osu_init_sentence(result) : "";
    return said.empty() ? "" : title(test, result) + said + "\n";
  }

  /// The row, with the lines above it if a table starts here; empty if the format cannot show the
  /// case.
  std::string row(const OsuTest& test, const CaseResult& result, const std::string& table) {
    const std::vector<OsuColumn> columns = osu_columns(test, result, options());
    if (columns.empty() || !is_sayable(result, columns)) return "";
    const bool has_sizes = test.table != OsuTable::barrier;
    why_not_ = why_no_numbers(result, columns, has_sizes);
    if (!why_not_.empty()) return "";
    std::string headings =
        has_sizes ? fmt::format("{:<10}", kSizeHeading) : "# " + columns.front().heading;
    std::string cells = has_sizes ? fmt::format("{:<10}", size_text(result)) : std::string();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const OsuColumn& column = columns[i];
      const bool is_first = i == 0 && !has_sizes;
      if (!is_first) headings += fmt::format("{:>{}}", column.heading, column.width);
      cells += is_first ? fmt::format("{:>{}}", column.text, headings.size())
                        : osu_cell(column.text, column.width);
    }
    std::string& known = headings_[table];
    std::string text;
    if (headings != known) text = header(test, result) + headings + "\n";
    known = std::move(headings);
    return text + cells + "\n";
  }

  /// Whether the row can be printed: a case with wrong data needs the Validation column.
  static bool is_sayable(const CaseResult& result, const std::vector<OsuColumn>& columns) {
    if (result.status == Status::ok) return true;
    return result.status == Status::failed && has_wrong_data(result) &&
           std::any_of(columns.begin(), columns.end(),
                       [](const OsuColumn& column) { return column.heading == "Validation"; });
  }

  /// Why the row cannot be printed: it needs a size, and readers expect finite numbers.
  static std::string why_no_numbers(const CaseResult& result, const std::vector<OsuColumn>& columns,
                                    bool has_sizes) {
    if (has_sizes &&
        (print::param_integer(result, "bytes").value_or(-1) < 0 || size_text(result).empty()))
      return "it has no size";
    for (const OsuColumn& column : columns) {
      if (column.text.empty()) return fmt::format("{} is not a number", column.heading);
    }
    return "";
  }

  std::string title(const OsuTest& test, const CaseResult& result) const {
    const std::string_view whole = version();
    const std::string_view major_minor = whole.substr(0, whole.rfind('.'));
    // OSU's text has no number of ranks, and tables may differ in that alone.
    const std::string pairs = print::params_without_bytes(result);
    return fmt::format("# OSU {}{} {} v7.4{} (OSU 7.4 format, {} by Scalemark {})\n",
                       library_of(test, result),
                       print::param_text(result, "memory") == "device" ? "-CUDA" : "",
                       osu_title(test, print::param_text(result, "call")),
                       pairs.empty() ? "" : fmt::format(" [{}]", pairs.substr(1)),
                       is_ours_ ? "measured" : "printed", major_minor);
  }

  /// The lines above the headings.
  std::string header(const OsuTest& test, const CaseResult& result) const {
    const bool overlaps = is_overlapped(test, result);
    std::string lines = test.sides == nullptr ? "" : counts(*test.sides, result);
    if (!is_one_sided(test) && test.table != OsuTable::message_rate) lines += "\n";
    lines += title(test, result);
    if (overlaps) lines += "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n";
    if (test.table == OsuTable::message_rate) lines += pairs(result);
    if (is_one_sided(test))
      lines +=
          fmt::format("# Window creation: {}\n# Synchronization: {}\n", window_creation(result),
                      osu_name(kOsuSyncs, print::param_text(result, "sync")));
    if (test.table != OsuTable::barrier)
      lines += fmt::format("# Datatype: {}.\n", osu_datatype(test, result));
    if (is_one_sided(test) && print::param_text(result, "memory") == "device")
      lines += "# Rank 0 Memory on DEVICE (D) and Rank 1 Memory on DEVICE (D)\n";
    return lines;
  }

  /// Of the sender and of the receiver; imports of OSU's text may have "0_2".
  static std::string counts(const OsuSides& sides, const CaseResult& result) {
    const std::string of_both = print::param_text(result, sides.axis);
    const std::size_t bar = of_both.find('_');
    return fmt::format("{}{}\n{}{}\n", sides.sender, of_both.substr(0, bar), sides.receiver,
                       bar == std::string::npos ? of_both : of_both.substr(bar + 1));
  }

  static std::string pairs(const CaseResult& result) {
    constexpr std::int64_t kOsuWindow = 64;
    return fmt::format("# [ pairs: {} ] [ window size: {} ]\n",
                       print::param_integer(result, "ranks").value_or(2) / 2,
                       print::param_integer(result, "window").value_or(kOsuWindow));
  }

  print::PlannedTables planned_{{"bytes"}};  ///< cases that differ only in size share a table
  bool is_ours_ = true;                      ///< measured by Scalemark
  print::TableQueue queue_{out()};
  std::map<std::string, std::string> headings_;  ///< last headings of each table
  std::string why_not_;                          ///< why the last case has no row; empty = unknown
};

}  // namespace

std::shared_ptr<ResultSink> make_osu_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<OsuPrinter>(out, options);
}

}  // namespace scalemark::formats
