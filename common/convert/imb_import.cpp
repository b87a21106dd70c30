// SPDX-License-Identifier: Apache-2.0
// The text of the Intel MPI Benchmarks: tables under "# Benchmarking NAME".
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/convert/case_key.hpp"
#include "common/convert/text_table.hpp"
#include "common/report/imb_tests.hpp"

namespace scalemark::convert {
namespace {

using report::ImbTest;
using report::kImbTests;

struct ImbColumn {
  const char* name;
  Quantity quantity;
};
/// The first that a table has becomes the primary metric.
constexpr std::array kImbColumns = {
    ImbColumn{"t[usec]", kLatency},        ImbColumn{"t_avg[usec]", kLatency},
    ImbColumn{"t_min[usec]", kLatencyMin}, ImbColumn{"t_max[usec]", kLatencyMax},
    ImbColumn{"Mbytes/sec", kBandwidthMb}, ImbColumn{"Msg/sec", kMessageRate},
};

/// The text behind `sign`, without blanks around it; nothing if the line has no such sign.
std::optional<std::string> behind(std::string_view line, std::string_view sign) {
  const std::size_t at = line.find(sign);
  if (at == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> rest = words(line.substr(at + sign.size()));
  return rest.empty() ? std::string() : std::string(rest.front());
}

class ImbReader {
 public:
  ImbReader(const ImportSource& source, const ImportTaker& taker)
      : source_(source),
        taker_(taker),
        lines_(source.file, kLongestText),
        builder_(imported_run(source, "Intel MPI Benchmarks", "", read_text(source.file))) {}

  void read() {
    while (const auto line = lines_.next()) {
      const std::vector<std::string_view> parts = words(*line);
      if (parts.empty()) continue;
      if (parts[0].starts_with("#bytes") || parts[0].starts_with("#repetitions")) {
        begin_rows(parts);
      } else if (parts[0][0] == '#') {
        take_comment(*line);
      } else if (parts[0][0] >= '0' && parts[0][0] <= '9') {
        take_row(*line, parts);
      } else if (!name_.empty()) {
        take_foreign_line(*line, lines_, builder_.run(), taker_);
      }
    }
    if (builder_.empty())
      throw InputError(
          fmt::format("{}: holds no row of an IMB table", text::printable(source_.file.string())));
    taker_.run({builder_.take(), {}});
  }

 private:
  void take_comment(std::string_view line) {
    if (const auto ours = behind(line, "IMB 2021.11 format, measured by Scalemark ")) {
      take_program("Scalemark", *ours);
    } else if (const auto version = behind(line, "Intel(R) MPI Benchmarks ")) {
      take_program("Intel MPI Benchmarks", version->substr(0, version->find(',')));
    } else if (const auto type = behind(line, "# MPI_Datatype for reductions")) {
      const std::vector<std::string_view> parts = words(line);
      reduced_type_ = parts.back();
    } else if (const auto name = behind(line, "# Benchmarking ")) {
      name_ = *name;
      columns_.clear();
      ranks_.reset();
      params_.reset();
    } else if (const auto ranks = behind(line, "# #processes = ")) {
      ranks_ = count_of({"#processes", *ranks}, kMostRanks, lines_);
    } else if (const std::size_t at = line.find(report::kImbParameters);
               at != std::string_view::npos) {
      const std::string_view pairs = line.substr(at + std::strlen(report::kImbParameters));
      params_ = case_of_key("x " + std::string(pairs), lines_.place()).params;
      if (params_->empty()) lines_.fail("axis=value pairs of a table", line);
    }
  }

  void take_program(const std::string& name, std::string_view version) {
    const std::string clean = text::printable(version, 40);
    builder_.run().producer["imported_from"] = name;
    builder_.run().producer["imported_version"] = clean;
    builder_.run().environment.common["measured_by"] = fmt::format("{} {}", name, clean);
  }

  void begin_rows(const std::vector<std::string_view>& parts) {
    columns_.assign(parts.begin(), parts.end());
    for (const std::string& column : columns_) {
      const bool known = column == "#bytes" || column == "#repetitions" || column == "defects" ||
                         std::any_of(kImbColumns.begin(), kImbColumns.end(),
                                     [&](const ImbColumn& one) { return column == one.name; });
      if (!known)
        taker_.note(fmt::format("{}: column \"{}\" is not known and not imported", lines_.place(),
                                text::printable(column, 80)));
    }
  }

  void take_row(std::string_view line, const std::vector<std::string_view>& cells) {
    if (name_.empty() || columns_.empty())
      lines_.fail("\"# Benchmarking NAME\" and a line of columns above the first row", line);
    if (cells.size() != columns_.size())
      lines_.fail(fmt::format("{} columns", columns_.size()), line);
    CaseResult result = named_case();
    for (const ImbColumn& known : kImbColumns) {
      const auto found = std::find(columns_.begin(), columns_.end(), known.name);
      if (found == columns_.end()) continue;
      const auto place = static_cast<std::size_t>(found - columns_.begin());
      add_cell(result, known.quantity, {columns_[place], cells[place]}, lines_);
    }
    if (result.metrics.empty()) lines_.fail("a time", line);
    for (std::size_t i = 0; i < cells.size(); ++i) take_count(result, {columns_[i], cells[i]});
    result.metrics.front().formula = "IMB: mean over ranks of each rank's mean";
    set_key(result);
    builder_.add(std::move(result), lines_.place());
  }

  CaseResult named_case() const {
    CaseResult result;
    const auto known = std::find_if(kImbTests.begin(), kImbTests.end(),
                                    [&](const ImbTest& test) { return name_ == test.theirs; });
    result.name = known != kImbTests.end() ? std::string(known->ours) : "imb/" + snake_case(name_);
    result.params = {{"backend", std::string("mpi")}};
    if (result.name != "micro/barrier") result.params["memory"] = std::string("host");
    if (known != kImbTests.end() && known->reduces && reduced_type_ != "MPI_FLOAT")
      result.params["dtype"] = type_of_mpi(reduced_type_);
    if (ranks_) result.params["ranks"] = *ranks_;
    if (params_ && known != kImbTests.end()) result.params = *params_;
    return result;
  }

  void take_count(CaseResult& result, const Cell& cell) {
    if (cell.column == "#bytes") result.params["bytes"] = count_of(cell, kMostBytes, lines_);
    if (cell.column == "#repetitions")
      result.facts["iterations"] = count_of(cell, kMostBytes, lines_);
    if (cell.column == "defects")
      set_verification(result, parse_decimal(cell.text).value_or(Decimal{1, 0}).digits == 0,
                       "IMB's own check");
  }

  const ImportSource& source_;
  const ImportTaker& taker_;
  Lines lines_;
  RunBuilder builder_;
  std::string name_, reduced_type_ = "MPI_FLOAT";
  std::optional<std::int64_t> ranks_;
  std::optional<Params> params_;  ///< of a table of ours: those of its keys
  std::vector<std::string> columns_;
};

}  // namespace

void import_imb(const ImportSource& source, const ImportTaker& taker) {
  ImbReader(source, taker).read();
}

}  // namespace scalemark::convert
