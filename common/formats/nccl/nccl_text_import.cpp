// SPDX-License-Identifier: Apache-2.0
// Imports the text of nccl-tests: a table with the columns time, algbw, busbw and #wrong, once out
// of place and once in place.
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/case_key.hpp"
#include "common/formats/nccl/nccl_rows.hpp"
#include "common/formats/nccl/nccl_tests.hpp"

namespace scalemark::formats {
namespace {

struct NcclColumn {
  const char* name;
  Quantity quantity;
};
constexpr std::array kNcclColumns = {
    NcclColumn{"time", kLatency},
    NcclColumn{"cputime", {"cpu_time", "s", -6, Better::lower}},
    NcclColumn{"algbw", kBandwidthGb},
    NcclColumn{"busbw", kBusBandwidthGb},
    NcclColumn{"i_min", kLatencyMin},
    NcclColumn{"i_max", kLatencyMax},
    NcclColumn{"i_p99", {"latency_p99", "s", -6, Better::lower}},
};

/// The last heading with -S. Its column has two words, date and time.
constexpr std::string_view kTimestamp = "timestamp";

/// Texts for values that nccl-tests did not measure or could not compute.
bool is_missing(std::string_view text) {
  constexpr std::array kMissing = {"N/A", "nan", "-nan", "inf", "-inf"};
  return std::find(kMissing.begin(), kMissing.end(), text) != kMissing.end();
}

bool begins_measures(const std::string& column) { return column == "time" || column == "cputime"; }

/// Removes the prefix of mpirun --tag-output: "[1,0]<stdout>:".
std::string_view untagged(std::string_view line) {
  constexpr std::string_view kTag = "<stdout>:";
  const std::size_t at = line.find(kTag);
  return line.starts_with('[') && at != std::string_view::npos ? line.substr(at + kTag.size())
                                                               : line;
}

class NcclReader {
 public:
  NcclReader(const ImportSource& source, const ImportTaker& taker)
      : source_(source),
        taker_(taker),
        lines_(source.file, kLongestText),
        builder_(imported_run(source, "nccl-tests", "", read_text(source.file))) {}

  void read() {
    while (const auto line = lines_.next()) {
      const std::string_view said = untagged(*line);
      const std::vector<std::string_view> parts = words(said);
      if (parts.empty()) continue;
      if (parts[0][0] == '#') {
        take_comment(said, parts);
      } else if (!columns_.empty() && parts[0][0] >= '0' && parts[0][0] <= '9') {
        take_row(said, parts);
      } else if (!columns_.empty()) {
        take_foreign_line(said, lines_, builder_.run(), taker_);
      }
    }
    if (builder_.empty())
      throw InputError(fmt::format("{}: holds no row of an nccl-tests table",
                                   text::printable(source_.file.string())));
    if (!columns_.empty()) {
      builder_.run().complete = false;
      builder_.run().exit_reason = "the text ends before \"Avg bus bandwidth\"";
    }
    taker_.run({builder_.take(), {}});
  }

 private:
  void take_comment(std::string_view line, const std::vector<std::string_view>& parts) {
    const auto has = [&](std::string_view word) {
      return std::find(parts.begin(), parts.end(), word) != parts.end();
    };
    if (parts.size() > 3 && parts[1] == "nccl-tests" && parts[2] == "version") {
      take_program("nccl-tests", parts[3]);
    } else if (parts.size() > 5 && parts[1] == "scalemark" && parts[3] == "nccl-tests") {
      take_program("Scalemark", parts[2]);
    } else if (const auto program = foreign_program(line)) {
      take_program(program->tool, program->version);
    } else if (parts.size() > 4 && parts[1] == "Collective" && parts[3] == "starting:") {
      row_ = {};
      row_.program = text::printable(parts[4], 100);
    } else if (parts.size() > 2 && parts[1] == "nThread") {
      take_settings(parts);
    } else if (parts.size() > 2 && parts[1] == "Using" && parts[2] == "devices") {
      ranks_ = 0;
    } else if (parts.size() > 2 && parts[1] == "Rank") {
      take_rank(parts);
    } else if (const std::size_t at = line.find(kNcclParameters); at != std::string_view::npos) {
      take_parameters(line);
    } else if (parts.size() > 1 && parts[1] == "Blocking") {
      row_.is_blocking = true;
    } else if (has("size") && has("algbw") && has("busbw")) {
      columns_.assign(parts.begin() + 1, parts.end());
      has_timestamp_ = columns_.back() == kTimestamp;
      if (has_timestamp_) columns_.pop_back();
      note_columns();
    } else if (parts.size() > 2 && parts[1] == "Avg" && parts[2] == "bus") {
      columns_.clear();
    }
  }

  void take_program(const std::string& name, std::string_view version) {
    const std::string clean = text::printable(version, 40);
    builder_.run().producer["imported_from"] = name;
    builder_.run().producer["imported_version"] = clean;
    builder_.run().environment.common["measured_by"] = fmt::format("{} {}", name, clean);
  }

  /// "# nThread 1 nGpus 8 ... warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0"
  void take_settings(const std::vector<std::string_view>& parts) {
    for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
      const auto count = parse_count(parts[i + 1], kMaxBytes);
      if (parts[i] == "iters:" && parts[i - 1] == "agg") {
        row_.aggregate = count.value_or(1);
      } else if (parts[i] == "iters:" && parts[i - 1] != "warmup") {
        row_.iterations = count.value_or(0);
      } else if (parts[i] == "graph:") {
        row_.graphs = count.value_or(0) > 0;
      } else if (parts[i] == "unalign:") {
        row_.unalign = count.value_or(0);
      }
    }
  }

  /// "# Parameters of Scalemark: backend=mpi memory=host ranks=2"
  void take_parameters(std::string_view line) {
    const std::string pairs(line.substr(line.find(':') + 1));
    row_.scalemark_params = case_of_key("x " + pairs, lines_.place()).params;
    if (row_.scalemark_params->empty() && !words(pairs).empty())
      lines_.fail("axis=value pairs of a table", line);
  }

  /// "#  Rank  0 Group  0 Pid 127 on NODE device  0 [0x00] NVIDIA A10G"
  void take_rank(const std::vector<std::string_view>& parts) {
    RankInfo info;
    info.rank = static_cast<int>(ranks_);
    if (ranks_ >= 1'000'000) lines_.fail("at most 1000000 ranks", parts[2]);
    for (std::size_t i = 2; i + 1 < parts.size(); ++i) {
      if (parts[i] == "on") info.node = text::printable(parts[i + 1], 200);
      if (parts[i].starts_with('[')) {
        info.gpu_model = text::printable(
            std::string_view(parts[i + 1].data(),
                             static_cast<std::size_t>(parts.back().data() + parts.back().size() -
                                                      parts[i + 1].data())),
            200);
      }
    }
    // A table may have fewer ranks than the run.
    if (++ranks_ > builder_.run().ranks.size()) builder_.run().ranks.push_back(std::move(info));
  }

  void note_columns() {
    constexpr std::array kOthers = {"size", "count", "type", "redop", "root", "#wrong", "error"};
    for (const std::string& column : columns_) {
      const bool known = std::find(kOthers.begin(), kOthers.end(), column) != kOthers.end() ||
                         std::any_of(kNcclColumns.begin(), kNcclColumns.end(),
                                     [&](const NcclColumn& one) { return column == one.name; });
      if (!known)
        taker_.note(fmt::format("{}: column \"{}\" is not known and not imported", lines_.place(),
                                text::printable(column, 80)));
    }
  }

  void take_row(std::string_view line, std::vector<std::string_view> cells) {
    if (has_timestamp_ && cells.size() > 2) cells.resize(cells.size() - 2);
    const auto first = std::find_if(columns_.begin(), columns_.end(), begins_measures);
    const auto head = static_cast<std::size_t>(first - columns_.begin());
    const std::size_t measures = columns_.size() - head;
    // Older versions leave redop and root empty for tests without them.
    if (first == columns_.end() || head < 3 || cells.size() < measures + 3 ||
        cells.size() > columns_.size())
      lines_.fail(fmt::format("{} columns", columns_.size()), line);
    const std::size_t leading = cells.size() - measures;
    row_.size = count_of({"size", cells[0]}, kMaxBytes, lines_);
    row_.count = row_.scalemark_params ? count_of({"count", cells[1]}, kMaxBytes, lines_) : 0;
    row_.type = cells[2];
    row_.reduction = row_.root = "";
    for (std::size_t i = 3; i < head && leading == head; ++i) {
      if (columns_[i] == "redop") row_.reduction = cells[i];
      if (columns_[i] == "root") row_.root = cells[i];
    }
    row_.ranks = ranks_of_table();
    if (!row_.scalemark_params && !row_.ranks && !source_.options.ranks)
      taker_.note("the text does not give the number of ranks: set --ranks");
    // The in-place columns start where the first measured column is repeated.
    const auto second = std::find(first + 1, columns_.end(), *first);
    const auto half = static_cast<std::size_t>(second - first);
    row_.in_place = false;
    add_group(cells, head, leading, 0, half);
    row_.in_place = true;
    if (second != columns_.end()) add_group(cells, head, leading, half, measures);
  }

  std::optional<std::int64_t> ranks_of_table() const {
    if (const Value* said =
            row_.scalemark_params ? row_.scalemark_params->find("ranks") : nullptr) {
      const auto* ranks = std::get_if<std::int64_t>(said);
      if (ranks == nullptr || *ranks < 1 || *ranks > kMaxRanks)
        lines_.fail("a number of ranks", to_text(*said));
      return *ranks;
    }
    if (ranks_ == 0) return std::nullopt;
    return static_cast<std::int64_t>(ranks_);
  }

  /// Imports the measured columns `from` to `to`. `head` columns and `leading` cells precede them.
  void add_group(const std::vector<std::string_view>& cells, std::size_t head, std::size_t leading,
                 std::size_t from, std::size_t to) {
    if (is_missing(cells[leading + from])) return;  // this half was not measured
    CaseResult result = nccl_case(row_, source_.options, lines_.place());
    if (is_empty_again(result)) return;
    for (std::size_t i = from; i < to; ++i) {
      const Cell cell{columns_[head + i], cells[leading + i]};
      for (const NcclColumn& known : kNcclColumns) {
        const bool is_ours = cell.column != "algbw" || has_our_bandwidth(result);
        if (cell.column == known.name && is_ours && !is_missing(cell.text))
          add_cell(result, known.quantity, cell, lines_);
      }
      if (cell.column == "#wrong" && cell.text != "N/A") {
        const auto wrong = parse_decimal(cell.text);
        if (!wrong) lines_.fail("a number or N/A in column #wrong", cell.text);
        set_verification(result, wrong->digits == 0, "nccl-tests' own check");
      }
      if (cell.column == "error" && cell.text != "N/A")
        result.facts["error"] = text::printable(cell.text, 40);
    }
    builder_.add(std::move(result), lines_.place());
  }

  /// Sizes with less than one element per rank are printed as 0, so several rows of size 0 may
  /// follow.
  bool is_empty_again(const CaseResult& result) {
    if (row_.size != 0 || empty_.insert(result.key).second) return false;
    taker_.note(fmt::format("{}: one more row of size 0, left out", lines_.place()));
    return true;
  }

  const ImportSource& source_;
  const ImportTaker& taker_;
  Lines lines_;
  RunBuilder builder_;
  std::set<std::string> empty_;  ///< keys of rows of size 0
  NcclRow row_;
  bool has_timestamp_ = false;
  std::size_t ranks_ = 0;  ///< of the table
  std::vector<std::string> columns_;
};

}  // namespace

void import_nccl(const ImportSource& source, const ImportTaker& taker) {
  NcclReader(source, taker).read();
}

}  // namespace scalemark::formats
