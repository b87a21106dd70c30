// SPDX-License-Identifier: Apache-2.0
// The text of the OSU micro-benchmarks, versions 5 to 7: tables under "# OSU MPI... Test v7.4".
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/convert/case_key.hpp"
#include "common/convert/osu_sentence.hpp"
#include "common/convert/text_table.hpp"
#include "common/report/osu_tests.hpp"

namespace scalemark::convert {
namespace {

constexpr std::string_view kTitle = "# OSU ";
/// Behind the title of a table that Scalemark printed: its version, then the table's parameters.
constexpr std::string_view kOurs = " (OSU 7.4 format, measured by Scalemark ";
/// Above the columns: a case of ours that OSU's text has no place for.
constexpr std::string_view kNoRow = "not in this format: ";

struct OsuColumn {
  const char* name;
  Quantity quantity;
};
constexpr Quantity tail(const char* metric) { return {metric, "s", -6, Better::lower}; }
constexpr Quantity rate_tail(const char* metric) { return {metric, "By/s", 6, Better::higher}; }
constexpr std::array kOsuColumns = {
    OsuColumn{"Avg Latency(us)", kLatency},
    OsuColumn{"Latency (us)", kLatency},
    OsuColumn{"Min Latency(us)", kLatencyMin},
    OsuColumn{"Max Latency(us)", kLatencyMax},
    OsuColumn{"P50 Tail Lat(us)", tail("latency_p50")},
    OsuColumn{"P90 Tail Lat(us)", tail("latency_p90")},
    OsuColumn{"P99 Tail Lat(us)", tail("latency_p99")},
    OsuColumn{"Bandwidth (MB/s)", kBandwidthMb},
    OsuColumn{"MB/s", kBandwidthMb},
    OsuColumn{"Messages/s", kMessageRate},
    OsuColumn{"P50 Tail BW(MB/s)", rate_tail("bandwidth_p50")},
    OsuColumn{"P90 Tail BW(MB/s)", rate_tail("bandwidth_p90")},
    OsuColumn{"P99 Tail BW(MB/s)", rate_tail("bandwidth_p99")},
};

/// What the lines above a table say.
struct Table {
  std::string name;
  Params params;
  bool ours = false;  ///< `params` are complete
  const report::OsuTest* test = nullptr;
  std::vector<std::string> columns;
};

/// What stands in the title line of a table.
struct Title {
  std::string_view text;             ///< "MPI-CUDA Allreduce Latency Test"
  std::string_view tool, version;    ///< of the program that measured
  std::optional<std::string> pairs;  ///< of a table of ours: " backend=mpi ranks=2"
};

/// "# OSU MPI-CUDA Allreduce Latency Test v7.4", with or without our note behind it.
std::optional<Title> title_of(std::string_view line) {
  Title title;
  title.tool = "OSU Micro-Benchmarks";
  const std::size_t note = line.find(kOurs);
  const std::string_view theirs = line.substr(0, note);
  const std::size_t v = theirs.rfind(" v");
  if (v == std::string_view::npos || v < kTitle.size()) return std::nullopt;
  const std::vector<std::string_view> version = words(theirs.substr(v + 2));
  if (version.size() != 1) return std::nullopt;
  title.text = theirs.substr(kTitle.size(), v - kTitle.size());
  title.version = version[0];
  if (note == std::string_view::npos) return title;
  std::string_view ours = line.substr(note + kOurs.size());
  ours = ours.substr(0, ours.find_last_of(')'));
  const std::size_t pairs = std::min(ours.find(';'), ours.size());
  title.tool = "Scalemark";
  title.version = ours.substr(0, pairs);
  if (pairs < ours.size()) title.pairs = ours.substr(pairs + 1);
  return title;
}

/// Parts between two blanks or more: names of columns have single ones.
std::vector<std::string> columns_of(std::string_view header) {
  std::vector<std::string> columns;
  for (std::size_t from = header.find_first_not_of(' '); from < header.size();) {
    const std::size_t to = std::min(header.find("  ", from), header.size());
    columns.emplace_back(header.substr(from, to - from));
    from = header.find_first_not_of(' ', to);
  }
  return columns;
}

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
  /// "# OSU MPI-CUDA Allreduce Latency Test v7.4"
  void begin_table(std::string_view line) {
    const std::optional<Title> said = title_of(line);
    if (!said) lines_.fail("\"# OSU LIBRARY TEST vVERSION\"", line);
    std::string_view title = said->text;
    const std::string_view library = title.substr(0, title.find(' '));
    title.remove_prefix(std::min(library.size() + 1, title.size()));
    if (title.starts_with("MANAGED ")) title.remove_prefix(8);
    table_.emplace();
    name_table(library, title);
    const bool is_nccl = library.starts_with("NCCL");
    // "MPI-CUDA", or a library that knows devices only.
    const bool on_device =
        !library.starts_with("MPI") || library.find('-') != std::string_view::npos;
    table_->params["backend"] =
        is_nccl ? std::string("nccl") : snake_case(library.substr(0, library.find_first_of("-_")));
    table_->params["memory"] = std::string(on_device ? "device" : "host");
    if (said->pairs) take_pairs_of_ours(*said->pairs, line);
    if (!builder_)
      builder_.emplace(imported_run(source_, said->tool, said->version, read_text(source_.file)));
  }

  /// A table of ours has the keys that its cases had.
  void take_pairs_of_ours(const std::string& pairs, std::string_view line) {
    if (words(pairs).empty()) return;
    table_->params = case_of_key(table_->name + pairs, lines_.place()).params;
    if (table_->params.empty()) lines_.fail("axis=value pairs behind the version", line);
    table_->ours = true;
  }

  /// A benchmark of ours, or osu/ and the title.
  void name_table(std::string_view library, std::string_view title) {
    const bool is_plain = library.find('_') == std::string_view::npos;  // not MPI_Put and such
    const auto known = std::find_if(report::kOsuTests.begin(), report::kOsuTests.end(),
                                    [&](const auto& test) { return title == test.title; });
    if (title == "Multiple Bandwidth / Message Rate Test") {
      table_->name = "micro/multi_pair";
      return;
    }
    if (known == report::kOsuTests.end() || !is_plain) {
      table_->name = "osu/" + snake_case(fmt::format("{} {}", is_plain ? "" : library, title));
      return;
    }
    table_->test = &*known;
    table_->name = known->name;
    if (known->two_ranks) table_->params["ranks"] = std::int64_t{2};
  }

  void take_comment(std::string_view line) {
    if (!table_) return;
    const std::vector<std::string_view> parts = words(line);
    const std::string_view said = line.substr(std::min(line.find_first_not_of("# "), line.size()));
    if (said.starts_with("Datatype: ")) return take_datatype(said.substr(10));
    if (said.starts_with("Size ") || said.starts_with("Avg Latency") ||
        said.starts_with("Latency (us)")) {
      table_->columns = columns_of(line.substr(1));
      return note_columns();
    }
    if (said.starts_with("[ pairs: ") && parts.size() >= 9) return take_pairs(parts);
    if (said.starts_with("Send Buffer on ") && parts.size() >= 11) return take_buffers(parts);
    if (said.starts_with(kNoRow)) return;  // nothing of it is a number
    if (!said.empty())
      taker_.note(fmt::format("{}: not known, left out: \"{}\"", lines_.place(),
                              text::printable(line, 120)));
  }

  void take_datatype(std::string_view type) {
    while (!type.empty() && (type.back() == '.' || type.back() == ' ')) type.remove_suffix(1);
    if (table_->ours || type == (table_->test != nullptr ? table_->test->datatype : "MPI_CHAR"))
      return;
    table_->params["dtype"] = type_of_mpi(type);
  }

  /// "# [ pairs: 1 ] [ window size: 64 ]"
  void take_pairs(const std::vector<std::string_view>& parts) {
    table_->params["ranks"] = 2 * count_of({"pairs", parts[3]}, kMostRanks, lines_);
    table_->params["window"] = count_of({"window size", parts[8]}, 1'000'000, lines_);
  }

  /// "# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)"
  void take_buffers(const std::vector<std::string_view>& parts) {
    const auto kind = [](std::string_view word) {
      return std::string(word == "HOST" ? "host" : "device");
    };
    const std::string from = kind(parts[4]), to = kind(parts[10]);
    table_->params["memory"] = from == to ? from : from + "_" + to;
  }

  void note_columns() {
    for (const std::string& column : table_->columns) {
      const bool known = column == "Size" || column == "Iterations" || column == "Validation" ||
                         std::any_of(kOsuColumns.begin(), kOsuColumns.end(),
                                     [&](const OsuColumn& one) { return column == one.name; });
      if (!known)
        taker_.note(fmt::format("{}: column \"{}\" is not known and not imported", lines_.place(),
                                text::printable(column, 80)));
    }
  }

  void take_row(std::string_view line) {
    const std::vector<std::string_view> cells = words(line);
    const bool is_row = cells[0][0] >= '0' && cells[0][0] <= '9';
    if (!is_row || !table_) {
      if (!builder_) return;  // what a launcher says before the first table
      if (auto found = case_of_sentence(line, lines_))
        return builder_->add(std::move(*found), lines_.place());
      return take_foreign_line(line, lines_, builder_->run(), taker_);
    }
    if (table_->columns.empty()) lines_.fail("a line \"# Size ...\" above the first row", line);
    if (cells.size() != table_->columns.size())
      lines_.fail(fmt::format("{} columns", table_->columns.size()), line);
    CaseResult result;
    result.name = table_->name;
    result.params = table_->params;
    if (source_.options.ranks) result.params.try_emplace("ranks", *source_.options.ranks);
    if (!result.params.contains("ranks"))
      taker_.note("OSU's text does not say how many ranks took part: give --ranks");
    for (std::size_t i = 0; i < cells.size(); ++i)
      take_cell(result, {table_->columns[i], cells[i]});
    if (result.metrics.empty()) lines_.fail("a latency or a bandwidth", line);
    result.metrics.front().formula = "OSU: mean over ranks of each rank's mean";
    set_key(result);
    builder_->add(std::move(result), lines_.place());
  }

  void take_cell(CaseResult& result, const Cell& cell) {
    if (cell.column == "Size") {
      result.params["bytes"] = count_of(cell, kMostBytes, lines_);
    } else if (cell.column == "Iterations") {
      result.facts["iterations"] = count_of(cell, kMostBytes, lines_);
    } else if (cell.column == "Validation") {
      if (cell.text != "Pass" && cell.text != "Fail")
        lines_.fail("Pass or Fail in column Validation", cell.text);
      set_verification(result, cell.text == "Pass", "OSU's own validation");
    } else {
      for (const OsuColumn& known : kOsuColumns) {
        if (cell.column == known.name) add_cell(result, known.quantity, cell, lines_);
      }
    }
  }

  const ImportSource& source_;
  const ImportTaker& taker_;
  Lines lines_;
  std::optional<RunBuilder> builder_;
  std::optional<Table> table_;
};

}  // namespace

void import_osu(const ImportSource& source, const ImportTaker& taker) {
  OsuReader(source, taker).read();
}

}  // namespace scalemark::convert
