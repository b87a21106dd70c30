// SPDX-License-Identifier: Apache-2.0
// Imports the text of the OSU micro-benchmarks, versions 5 to 7: tables under "# OSU MPI... Test
// v7.4".
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/osu/osu_sentence.hpp"
#include "common/formats/osu/osu_tests.hpp"
#include "common/formats/osu/osu_title.hpp"
#include "common/formats/printed_table.hpp"
#include "common/result/point.hpp"

namespace scalemark::formats {
namespace {

/// Line above the columns for a case of Scalemark that OSU's format cannot show.
constexpr std::string_view kNoRow = "not in this format: ";
/// Line that explains the column Overall of non-blocking collectives.
constexpr std::string_view kOverall = "Overall = ";

struct ReadColumn {
  const char* name;
  Quantity quantity;
};
constexpr Quantity tail(const char* metric) { return {metric, "s", -6, Better::lower}; }
constexpr Quantity rate_tail(const char* metric) { return {metric, "By/s", 6, Better::higher}; }
constexpr std::array kOsuColumns = {
    ReadColumn{"Overall(us)", {"overall_time", "s", -6, Better::lower}},
    ReadColumn{"Compute(us)", {"compute_time", "s", -6, Better::none}},
    ReadColumn{"Coll. Init(us)", {"init_time", "s", -6, Better::lower}},
    ReadColumn{"MPI_Test(us)", {"test_time", "s", -6, Better::lower}},
    ReadColumn{"MPI_Wait(us)", {"wait_time", "s", -6, Better::lower}},
    ReadColumn{"Pure Comm.(us)", kLatency},
    ReadColumn{"Min Comm.(us)", kLatencyMin},
    ReadColumn{"Max Comm.(us)", kLatencyMax},
    ReadColumn{"Overlap(%)", {"overlap_ratio", "1", -2, Better::higher}},
    ReadColumn{"Avg Latency(us)", kLatency},
    ReadColumn{"Latency (us)", kLatency},
    ReadColumn{"Min Latency(us)", kLatencyMin},
    ReadColumn{"Max Latency(us)", kLatencyMax},
    ReadColumn{"P50 Tail Lat(us)", tail("latency_p50")},
    ReadColumn{"P90 Tail Lat(us)", tail("latency_p90")},
    ReadColumn{"P99 Tail Lat(us)", tail("latency_p99")},
    ReadColumn{"Bandwidth (MB/s)", kBandwidthMb},
    ReadColumn{"MB/s", kBandwidthMb},
    ReadColumn{"Messages/s", kMessageRate},
    ReadColumn{"P50 Tail BW(MB/s)", rate_tail("bandwidth_p50")},
    ReadColumn{"P90 Tail BW(MB/s)", rate_tail("bandwidth_p90")},
    ReadColumn{"P99 Tail BW(MB/s)", rate_tail("bandwidth_p99")},
};

constexpr std::array kOverallTails = {ReadColumn{"P50 Tail Lat(us)", tail("overall_time_p50")},
                                      ReadColumn{"P90 Tail Lat(us)", tail("overall_time_p90")},
                                      ReadColumn{"P99 Tail Lat(us)", tail("overall_time_p99")}};

/// Contents of the lines above a table.
struct TableHead {
  OsuTitle title;
  NamedValues facts;
  std::vector<std::string> columns;

  /// Whether blocks with gaps were sent.
  bool is_spaced() const { return std::ranges::find(columns, kOsuTransmitted) != columns.end(); }
};

class OsuReader {
 public:
  OsuReader(const ImportSource& source, const ImportTaker& taker)
      : source_(source), taker_(taker), lines_(source.file, kLongestText) {}

  void read() {
    while (const auto line = lines_.next()) {
      if (line->starts_with("# OSU ")) {
        begin_table(*line);
      } else if (line->starts_with('#')) {
        take_comment(*line);
      } else if (!words(*line).empty()) {
        take_row(*line);
      }
    }
    if (!builder_ || builder_->empty())
      throw InputError(
          fmt::format("{}: holds no row of an OSU table", text::printable(source_.file.string())));
    taker_.run({builder_->take(), {}});
  }

 private:
  void begin_table(std::string_view line) {
    table_.emplace();
    table_->title = osu_title_of(line, lines_);
    OsuTitle& said = table_->title;
    if (!said.by_scalemark && said.test != nullptr && said.test->sides != nullptr)
      add_counts(said.test->sides->axis, said.params);
    counts_.clear();
    if (builder_) return;
    const ForeignProgram who = origin_.value_or(ForeignProgram{said.tool, said.version});
    builder_.emplace(imported_run(source_, who.tool, who.version, read_text(source_.file)));
  }

  void take_comment(std::string_view line) {
    for (const OsuSides& sides : {kOsuChildren, kOsuThreads}) {
      for (const std::string_view side : {sides.sender, sides.receiver})
        if (line.starts_with(side)) return take_count(line.substr(side.size()));
    }
    if (!table_) {
      if (auto program = foreign_program(line)) origin_ = std::move(program);
      return;
    }
    const std::vector<std::string_view> parts = words(line);
    const std::string_view said = line.substr(std::min(line.find_first_not_of("# "), line.size()));
    if (said.starts_with("Datatype: ")) return take_datatype(said.substr(10));
    if (said.starts_with("Size ") || said.starts_with("Avg Latency") ||
        said.starts_with("Latency (us)") || said.starts_with("Overall(us)")) {
      table_->columns = osu_column_names(line.substr(1));
      if (table_->is_spaced()) take_spaced();
      return note_columns();
    }
    if (said.starts_with("[ pairs: ") && parts.size() >= 9) return take_pairs(parts);
    if (said.starts_with("Send Buffer on ") && parts.size() >= 11)
      return take_memory(parts[4], parts[10]);
    if (said.starts_with("Rank 0 Memory on ") && parts.size() >= 13)
      return take_memory(parts[5], parts[12]);
    if (said.starts_with("Synchronization: ") && parts.size() == 3) return take_sync(parts[2]);
    if (said.starts_with("Window creation: ") && parts.size() == 4)
      return take_window_creation(parts[3]);
    if (said.starts_with(kNoRow) || said.starts_with(kOverall)) return;  // nothing to store
    if (!said.empty())
      taker_.note(fmt::format("{}: not known, left out: \"{}\"", lines_.place(),
                              text::printable(line, 120)));
  }

  /// Of the sender, then of the receiver, above the title of the table.
  void take_count(std::string_view text) {
    const std::vector<std::string_view> parts = words(text);
    const auto count = parts.empty() ? std::nullopt : parse_count(parts.back(), kMaxRanks);
    if (count && counts_.size() < 2) counts_.push_back(*count);
  }

  /// Of a table by OSU. A text where the ranks do not have equally many, which is no case of ours.
  void add_counts(const char* axis, Point& params) const {
    if (counts_.size() < 2)
      params[axis] = "unknown";
    else if (counts_[0] == counts_[1])
      params[axis] = counts_[0];
    else
      params[axis] = fmt::format("{}_{}", counts_[0], counts_[1]);
  }

  /// Of a table of blocks with gaps. OSU's text does not say which. Tests that ours measure without
  /// gaps only keep their names.
  void take_spaced() {
    OsuTitle& title = table_->title;
    const std::string spaced = title.test == nullptr ? "" : spaced_name(*title.test);
    if (!spaced.empty()) title.name = spaced;
    if (title.by_scalemark) return;
    title.params[kOsuPacking] = std::string(kOsuDatatype);
    title.params["blocks"] = std::string("unknown");
    if (spaced.empty()) return;
    if (is_collective(*title.test)) title.params["collective"] = name_in_suite(title.test->name);
    if (title.params.text("memory", "") == "host") title.params.erase("memory");
  }

  void take_datatype(std::string_view type) {
    while (!type.empty() && (type.back() == '.' || type.back() == ' ')) type.remove_suffix(1);
    const OsuTitle& title = table_->title;
    const bool is_usual = type == (title.test != nullptr ? title.test->datatype : "MPI_CHAR");
    const bool always = title.test != nullptr && title.test->names_type;
    if (!title.by_scalemark && (always || !is_usual))
      table_->title.params["dtype"] = type_of_mpi(type);
  }

  /// "# [ pairs: 1 ] [ window size: 64 ]"
  void take_pairs(const std::vector<std::string_view>& parts) {
    if (table_->title.by_scalemark) return;
    Point& params = table_->title.params;
    params["ranks"] = 2 * count_of({"pairs", parts[3]}, kMaxRanks, lines_);
    params["window"] = count_of({"window size", parts[8]}, 1'000'000, lines_);
  }

  /// "# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)", for ranks 0 and 1
  void take_memory(std::string_view first, std::string_view second) {
    if (table_->title.by_scalemark) return;
    const auto kind = [](std::string_view word) {
      return std::string(word == "HOST" ? "host" : word == "MANAGED" ? "managed" : "device");
    };
    const std::string from = kind(first), to = kind(second);
    set_memory(table_->title, from == to ? from : from + "_" + to);
  }

  /// "# Window creation: MPI_Win_create". Keys leave out what Scalemark uses: OSU's default, and on
  /// a device the only way.
  void take_window_creation(std::string_view name) {
    table_->facts["window_creation"] = text::printable(name, 40);
    constexpr std::string_view kPrefix = "MPI_Win_";
    OsuTitle& title = table_->title;
    const bool is_on_device = title.params.text("memory", "") == "device";
    const bool is_usual = name == "MPI_Win_allocate" || (is_on_device && name == "MPI_Win_create");
    if (title.by_scalemark || is_usual) return;
    const bool has_prefix = name.starts_with(kPrefix);
    title.params["window_creation"] =
        axis_value(kOsuWindows, name, snake_case(name.substr(has_prefix ? kPrefix.size() : 0)));
  }

  /// "# Synchronization: MPI_Win_flush"
  void take_sync(std::string_view name) {
    if (table_->title.by_scalemark) return;
    table_->title.params["sync"] = axis_value(kOsuSyncs, name, snake_case(name));
  }

  void note_columns() {
    for (const std::string& column : table_->columns) {
      const bool known = column == "Size" || column == "Iterations" || column == "Validation" ||
                         column == kOsuTransmitted ||
                         std::any_of(kOsuColumns.begin(), kOsuColumns.end(),
                                     [&](const ReadColumn& one) { return column == one.name; });
      if (!known)
        taker_.note(fmt::format("{}: column \"{}\" is not known and not imported", lines_.place(),
                                text::printable(column, 80)));
    }
  }

  void take_row(std::string_view line) {
    const std::vector<std::string_view> cells = words(line);
    const bool is_row = cells[0][0] >= '0' && cells[0][0] <= '9';
    if (!is_row || !table_) {
      if (!builder_) return;  // launcher output before the first table
      if (auto found = case_of_sentence(line, lines_)) {
        if (table_ && table_->title.by_scalemark && found->name == table_->title.name) {
          found->params = table_->title.params;
          set_key(*found);
        }
        return builder_->add(std::move(*found), lines_.place());
      }
      return take_foreign_line(line, lines_, builder_->run(), taker_);
    }
    if (table_->columns.empty()) lines_.fail("a line \"# Size ...\" above the first row", line);
    if (cells.size() != table_->columns.size())
      lines_.fail(fmt::format("{} columns", table_->columns.size()), line);
    CaseResult result;
    result.name = table_->title.name;
    result.params = table_->title.params;
    result.facts = table_->facts;
    if (source_.options.ranks) result.params.add("ranks", *source_.options.ranks);
    note_what_osu_leaves_out(result);
    for (std::size_t i = 0; i < cells.size(); ++i)
      take_cell(result, {table_->columns[i], cells[i]});
    if (result.metrics.empty()) lines_.fail("a latency or a bandwidth", line);
    if (result.find(kLatency.metric) != nullptr) result.primary_metric = kLatency.metric;
    for (Metric& metric : result.metrics) {
      if (metric.name == result.primary_metric)
        metric.formula = "OSU: mean over ranks of each rank's mean";
    }
    if (table_->is_spaced() && result.params.integer("bytes") == 0) return;  // smaller than a block
    set_key(result);
    builder_->add(std::move(result), lines_.place());
  }

  void note_what_osu_leaves_out(const CaseResult& result) const {
    if (!result.params.contains("ranks"))
      taker_.note("OSU's text does not give the number of ranks: set --ranks");
    const OsuTitle& title = table_->title;
    if (!title.by_scalemark && title.test != nullptr && is_bandwidth(*title.test))
      taker_.note(
          fmt::format("OSU's text does not give the window of {}: the keys have 64, OSU's default",
                      title.name));
  }

  void take_cell(CaseResult& result, const Cell& cell) {
    if (cell.column == "Size") {
      const std::int64_t bytes = count_of(cell, kMaxBytes, lines_);
      if (table_->is_spaced())
        result.facts[kOsuExtent] = bytes;
      else
        result.params["bytes"] = bytes;
    } else if (cell.column == kOsuTransmitted) {
      result.params["bytes"] = count_of(cell, kMaxBytes, lines_);
    } else if (cell.column == "Iterations") {
      result.facts["iterations"] = count_of(cell, kMaxBytes, lines_);
    } else if (cell.column == "Validation") {
      const bool passed = cell.text == "Pass" || cell.text == "passed";
      if (!passed && cell.text != "Fail" && cell.text != "failed" && cell.text != "skipped")
        lines_.fail("Pass or Fail in column Validation", cell.text);
      if (cell.text != "skipped") set_verification(result, passed, "OSU's own validation");
    } else {
      for (const ReadColumn& known : kOsuColumns) {
        if (cell.column == known.name) add_cell(result, quantity_of(known), cell, lines_);
      }
    }
  }

  /// In tables with Overall(us), percentiles belong to that time.
  Quantity quantity_of(const ReadColumn& column) const {
    const bool overlaps = std::any_of(table_->columns.begin(), table_->columns.end(),
                                      [](const std::string& one) { return one == "Overall(us)"; });
    for (const ReadColumn& one : kOverallTails) {
      if (overlaps && std::string_view(column.name) == one.name) return one.quantity;
    }
    return column.quantity;
  }

  const ImportSource& source_;
  const ImportTaker& taker_;
  Lines lines_;
  std::optional<RunBuilder> builder_;
  std::optional<ForeignProgram> origin_;  ///< the program that measured it, if not Scalemark
  std::optional<TableHead> table_;
  std::vector<std::int64_t> counts_;  ///< of the ranks of the next table
};

}  // namespace

void import_osu(const ImportSource& source, const ImportTaker& taker) {
  OsuReader(source, taker).read();
}

}  // namespace scalemark::formats
