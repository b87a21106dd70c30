// SPDX-License-Identifier: Apache-2.0
// Imports the text output of the Intel MPI Benchmarks: tables under "# Benchmarking NAME".
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/case_key.hpp"
#include "common/formats/imb/imb_tests.hpp"
#include "common/formats/printed_table.hpp"

namespace scalemark::formats {
namespace {

struct ImbColumn {
  const char* name;
  Quantity quantity;
  const char* formula;  ///< how IMB computes a primary time; else empty
};
constexpr const char* kImbMean = "IMB: mean over ranks of each rank's mean";
constexpr const char* kImbLargest = "IMB: largest over ranks of each rank's mean";
constexpr Quantity kOverallTime = {"overall_time", "s", -6, Better::lower},
                   kComputeTime = {"compute_time", "s", -6, Better::none},
                   kOverlapRatio = {"overlap_ratio", "1", -2, Better::higher};
/// In order of precedence: the first column that a table has becomes the primary metric.
constexpr std::array kImbColumns = {
    ImbColumn{"t[usec]", kLatency, kImbLargest},
    ImbColumn{"t_avg[usec]", kLatency, kImbMean},
    ImbColumn{"t_pure[usec]", kLatency,
              "IMB: mean of the rank on which communication beside computation takes longest"},
    ImbColumn{"t_min[usec]", kLatencyMin, ""},
    ImbColumn{"t_max[usec]", kLatencyMax, ""},
    ImbColumn{"t_ovrl[usec]", kOverallTime, ""},
    ImbColumn{"t_CPU[usec]", kComputeTime, ""},
    ImbColumn{"overlap[%]", kOverlapRatio, ""},
    ImbColumn{"Mbytes/sec", kBandwidthMb, ""},
    ImbColumn{"Msg/sec", kMessageRate, ""},
};

constexpr std::string_view kImbEnd = "All processes entering MPI_Finalize";

/// First column if groups of ranks work at the same time (-multi 1).
constexpr std::string_view kImbGroup = "Group";

/// Printed after the size if IMB did not measure it (src_c/IMB_output.c).
constexpr std::array kNotMeasured = {"out-of-mem.;", "int-overflow.;", "time-out.;"};

/// What Truly_passive_put's columns are in our words.
constexpr std::array kPassiveColumns = {
    ImbColumn{"t_ovrl[usec]", kLatency, kImbLargest},
    ImbColumn{"t_pure[usec]", {"waiting_latency", "s", -6, Better::lower}, kImbLargest}};

/// Of nonblocking accesses to files.
constexpr std::array kFileOverlapColumns = {
    ImbColumn{"t_pure[usec]", kLatency, kImbLargest}, ImbColumn{"t_ovrl[usec]", kOverallTime, ""},
    ImbColumn{"t_CPU[usec]", kComputeTime, ""}, ImbColumn{"overlap[%]", kOverlapRatio, ""}};

/// Of benchmarks whose rows have a time, not a latency.
constexpr std::array kTimeColumns = {
    ImbColumn{"t_avg[usec]", {"time", "s", -6, Better::lower}, kImbMean},
    ImbColumn{"t_min[usec]", {"time_min", "s", -6, Better::lower}, ""},
    ImbColumn{"t_max[usec]", {"time_max", "s", -6, Better::lower}, ""},
    ImbColumn{"Mbytes/sec", kBandwidthMb, ""}};

std::span<const ImbColumn> columns_of(const ImbTest* test) {
  if (test == nullptr) return kImbColumns;
  if (test->columns == ImbColumns::passive_target) return kPassiveColumns;
  if (test->program == ImbProgram::io && test->columns == ImbColumns::overlap)
    return kFileOverlapColumns;
  return test->has_time ? std::span<const ImbColumn>(kTimeColumns) : kImbColumns;
}

/// The first word after `sign`; empty text if the line ends there; nothing if `sign` is missing.
std::optional<std::string> behind(std::string_view line, std::string_view sign) {
  const std::size_t at = line.find(sign);
  if (at == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> rest = words(line.substr(at + sign.size()));
  return rest.empty() ? std::string() : std::string(rest.front());
}

/// "4;" of "# #processes = 4; rank order (rowwise):" without the semicolon.
std::string without_semicolon(std::string word) {
  if (word.ends_with(';')) word.pop_back();
  return word;
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
      if (parts[0].starts_with("#bytes") || parts[0].starts_with("#repetitions") ||
          (parts[0] == kImbGroup && parts.size() > 1 && parts[1].starts_with('#'))) {
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
    if (is_open_) {
      builder_.run().complete = false;
      builder_.run().exit_reason = fmt::format("the text ends before \"{}\"", kImbEnd);
    }
    taker_.run({builder_.take(), {}});
  }

 private:
  void take_comment(std::string_view line) {
    if (line.find(kImbEnd) != std::string_view::npos) {
      is_open_ = false;
    } else if (const auto own_version =
                   behind(line, "IMB 2021.11 format, measured by Scalemark ")) {
      take_program("Scalemark", *own_version);
    } else if (const auto program = foreign_program(line)) {
      take_program(program->tool, program->version);
    } else if (const auto version = behind(line, "Intel(R) MPI Benchmarks ")) {
      take_program("Intel MPI Benchmarks", version->substr(0, version->find(',')));
      // IMB-MT says nothing at its end.
      is_open_ = line.find(", MT part") == std::string_view::npos;
      is_p2p_ = line.find("P2P part") != std::string_view::npos;
    } else if (const auto type = behind(line, "# MPI_Datatype for reductions")) {
      const std::vector<std::string_view> parts = words(line);
      reduced_type_ = parts.back();
    } else if (const auto name = behind(line, "# Benchmarking ")) {
      begin_table(*name);
    } else if (const auto ranks = behind(line, "# #processes = ")) {
      said_["ranks"] = count_of({"#processes", without_semicolon(*ranks)}, kMaxRanks, lines_);
      if (const auto threads = behind(line, "(threads: "))
        said_["threads"] =
            count_of({"threads", threads->substr(0, threads->find(')'))}, kMaxRanks, lines_);
    } else if (const auto window = behind(line, "# window_size = ")) {
      said_["window"] = count_of({"window_size", *window}, kMaxRanks, lines_);
    } else if (line.find(" processes each running simultaneous") != std::string_view::npos) {
      take_groups(words(line));
    } else if (const auto mode = behind(line, " MODE: ")) {
      mode_ = *mode;
    } else if (const std::size_t at = line.find(kImbParameters); at != std::string_view::npos) {
      const std::string_view pairs = line.substr(at + std::strlen(kImbParameters));
      params_ = case_of_key("x " + std::string(pairs), lines_.place()).params;
      if (params_->empty()) lines_.fail("axis=value pairs of a table", line);
    }
  }

  void begin_table(const std::string& name) {
    name_ = name;
    columns_.clear();
    mode_.clear();
    said_ = {};
    params_.reset();
  }

  /// "# ( 2 groups of 4 processes each running simultaneous )"
  void take_groups(const std::vector<std::string_view>& parts) {
    if (parts.size() < 6 || parts[3] != "groups") return;
    const std::int64_t groups = count_of({"groups", parts[2]}, 1'000'000, lines_);
    const std::int64_t each = count_of({"processes", parts[5]}, kMaxRanks / 100, lines_);
    said_["groups"] = groups;
    said_["ranks"] = groups * each;
  }

  void take_program(const std::string& name, std::string_view version) {
    const std::string clean = text::printable(version, 40);
    builder_.run().producer["imported_from"] = name;
    builder_.run().producer["imported_version"] = clean;
    builder_.run().environment.common["measured_by"] = fmt::format("{} {}", name, clean);
  }

  void begin_rows(const std::vector<std::string_view>& parts) {
    columns_.assign(parts.begin(), parts.end());
    known_ = is_p2p_ ? NamedImbTest{} : imb_test_named(name_, mode_);
    for (const std::string& column : columns_) {
      const bool known = column == "#bytes" || column == kImbGroup || column == "#repetitions" ||
                         column == "defects" ||
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
    row_ = has_equal_parts(cells) ? known_ : NamedImbTest{};
    CaseResult result = named_case();
    if (take_not_measured(result, line, cells)) return;
    if (cells.size() != columns_.size())
      lines_.fail(fmt::format("{} columns", columns_.size()), line);
    add_cells(result, columns_of(row_.test), cells);
    if (result.metrics.empty()) lines_.fail("a time or a rate", line);
    for (std::size_t i = 0; i < cells.size(); ++i) take_count(result, {columns_[i], cells[i]});
    set_key(result);
    builder_.add(std::move(result), lines_.place());
  }

  /// The first of `wanted` that the table has becomes the primary metric.
  void add_cells(CaseResult& result, std::span<const ImbColumn> wanted,
                 const std::vector<std::string_view>& cells) {
    for (const ImbColumn& one : wanted) {
      const auto found = std::find(columns_.begin(), columns_.end(), one.name);
      if (found == columns_.end()) continue;
      const auto place = static_cast<std::size_t>(found - columns_.begin());
      Metric& metric = add_cell(result, one.quantity, {columns_[place], cells[place]}, lines_);
      if (result.metrics.size() == 1) metric.formula = one.formula;
    }
  }

  /// Whether all threads or ranks have as much of the row's #bytes, as in our cases. IMB-IO divides
  /// among the ranks in units of an int (IMB_get_rank_portion).
  bool has_equal_parts(const std::vector<std::string_view>& cells) const {
    if (known_.test == nullptr || params_) return true;
    const auto size = std::find(columns_.begin(), columns_.end(), "#bytes");
    const auto place = static_cast<std::size_t>(size - columns_.begin());
    if (place >= cells.size()) return true;
    const std::int64_t unit = known_.test->program == ImbProgram::io ? sizeof(int) : 1,
                       parts = imb_size_factor(*known_.test, said_);
    return parts == 1 || count_of({*size, cells[place]}, kMaxBytes, lines_) % (unit * parts) == 0;
  }

  /// Our `bytes` of IMB's, which are those of all threads or ranks.
  std::int64_t own_size(const CaseResult& result, const Cell& cell) const {
    const std::int64_t of_all = count_of(cell, kMaxBytes, lines_);
    const std::int64_t factor =
        row_.test == nullptr ? 1 : imb_size_factor(*row_.test, result.params);
    if (of_all % factor != 0) lines_.fail("#bytes of equally large parts", cell.text);
    return of_all / factor;
  }

  /// Handles a size that IMB left out: "4194304 out-of-mem.; needed X=   8.001 GB; ..."
  bool take_not_measured(CaseResult& result, std::string_view line,
                         const std::vector<std::string_view>& cells) {
    const std::size_t size = columns_.front() == kImbGroup ? 1 : 0;
    if (cells.size() < size + 2 ||
        std::find(kNotMeasured.begin(), kNotMeasured.end(), cells[size + 1]) == kNotMeasured.end())
      return false;
    for (std::size_t i = 0; i <= size; ++i) {
      // A table without sizes still prints one here.
      if (columns_[i] != "#repetitions") take_count(result, {columns_[i], cells[i]});
    }
    result.status = Status::skipped;
    result.reason =
        fmt::format("IMB: {}", text::printable(line.substr(line.find(cells[size + 1])), 120));
    set_key(result);
    builder_.add(std::move(result), lines_.place());
    return true;
  }

  CaseResult named_case() const {
    const ImbTest* const test = row_.test;
    CaseResult result;
    result.name = test != nullptr
                      ? std::string(test->benchmark)
                      : fmt::format("imb/{}{}", is_p2p_ ? "p2p_" : "", snake_case(name_));
    if (params_ && test != nullptr) {
      result.params = *params_;
      return result;
    }
    result.params = said_;
    if (test == nullptr && !mode_.empty()) result.params["mode"] = snake_case(mode_);
    const ImbProgram program = test == nullptr ? ImbProgram::mpi1 : test->program;
    if (program == ImbProgram::mpi1 || program == ImbProgram::rma)
      result.params["backend"] = std::string("mpi");
    if (program == ImbProgram::rma) result.params["window_creation"] = std::string("create");
    if (program == ImbProgram::mpi1 && result.name != "micro/barrier")
      result.params["memory"] = std::string("host");
    if (row_.is_nonblocking) result.params["call"] = std::string("nonblocking");
    if (test != nullptr) add_axes(*test, result.params);
    return result;
  }

  void add_axes(const ImbTest& test, Point& params) const {
    for (const ImbAxis& axis : test.axes)
      if (axis.name != nullptr && !axis.is_usual) params[axis.name] = value_of_text(axis.value);
    if (test.names_type || (test.reduces && reduced_type_ != "MPI_FLOAT"))
      params["dtype"] = type_of_mpi(reduced_type_);
  }

  void take_count(CaseResult& result, const Cell& cell) {
    if (cell.column == kImbGroup) result.params["group"] = count_of(cell, kMaxRanks, lines_);
    if (cell.column == "#bytes") result.params["bytes"] = own_size(result, cell);
    if (cell.column == "#repetitions")
      result.facts["iterations"] = count_of(cell, kMaxBytes, lines_);
    if (cell.column == "defects")
      set_verification(result, parse_decimal(cell.text).value_or(Decimal{1, 0}).digits == 0,
                       "IMB's own check");
  }

  const ImportSource& source_;
  const ImportTaker& taker_;
  Lines lines_;
  RunBuilder builder_;
  std::string name_, mode_, reduced_type_ = "MPI_FLOAT";
  bool is_open_ = false;  ///< an IMB output has started and not ended
  bool is_p2p_ = false;   ///< IMB-P2P: its tests use all ranks but have the names of two-rank tests
  NamedImbTest known_;    ///< of the table
  NamedImbTest row_;      ///< of the row: none if its parts are not alike
  Point said_;            ///< parameters found between a table's name and its columns
  std::optional<Point> params_;  ///< of a table printed by Scalemark: those of its case keys
  std::vector<std::string> columns_;
};

}  // namespace

void import_imb(const ImportSource& source, const ImportTaker& taker) {
  ImbReader(source, taker).read();
}

}  // namespace scalemark::formats
