// SPDX-License-Identifier: Apache-2.0
// Prints the text of the Intel MPI Benchmarks 2021, with IMB's own statistics.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/version.hpp"
#include "common/formats/imb/imb_tests.hpp"
#include "common/formats/osu/osu_columns.hpp"
#include "common/formats/printers.hpp"
#include "common/print/planned_tables.hpp"
#include "common/print/printers.hpp"

namespace scalemark::formats {
namespace {

constexpr double kMicrosecondsImb = 1e6;
constexpr double kMegabytesImb = 1e6;
/// The test that has no sizes.
constexpr std::string_view kImbBarrier = "micro/barrier";

const ImbTest* find_imb_test(std::string_view name) {
  const auto found = std::find_if(kImbTests.begin(), kImbTests.end(),
                                  [&](const ImbTest& test) { return name == test.benchmark; });
  return found == kImbTests.end() ? nullptr : &*found;
}

/// A row of an IMB table.
struct ImbRow {
  std::optional<std::int64_t> bytes;  ///< empty for a test without sizes
  std::uint64_t repetitions = 0;
  OsuStatistic time;  ///< seconds
  double rate = 0;    ///< By/s

  /// Rows with NaN or infinity are left out: readers expect numbers.
  bool has_numbers() const {
    return std::isfinite(time.average) && std::isfinite(time.minimum) &&
           std::isfinite(time.maximum) && std::isfinite(rate);
  }
};

/// The bandwidth that another program printed, else that of the slowest rank. Counts both
/// directions if each rank sends and receives. 0 if the time is 0, as in IMB.
double imb_rate(const ImbTest& test, const CaseResult& result, const ImbRow& row) {
  if (!test.has_rate) return 0;
  const Metric* printed = result.find("bandwidth");
  if (printed != nullptr && printed->unit == "By/s" && printed->kind == MetricKind::count)
    return median_of(result, *printed);
  if (row.time.maximum == 0) return 0;
  return (test.ranks_alike ? 2 : 1) * static_cast<double>(*row.bytes) / row.time.maximum;
}

/// Why a case cannot be a row of the test's table; empty if it can.
std::string why_no_imb_case(const ImbTest& test, const CaseResult& result) {
  const std::string call = print::param_text(result, "call");
  if (!call.empty() && call != "blocking") return "IMB tests the blocking call only";
  if (!test.ranks_alike && print::param_integer(result, "ranks") != 2)
    return "IMB tests two ranks only";
  const bool has_size = std::string_view(test.benchmark) != kImbBarrier;
  return has_size && print::param_integer(result, "bytes").value_or(-1) < 0 ? "it has no size" : "";
}

class ImbPrinter final : public print::Printer {
 public:
  using print::Printer::Printer;

  void begin(const Run& run) override {
    planned_.begin(run);
    constexpr const char* kLine =
        "#----------------------------------------------------------------";
    const std::string origin = print::foreign_origin(run);
    fmt::print(out(), "{}\n#    IMB 2021.11 format, {} by Scalemark {}\n{}\n", kLine,
               origin.empty() ? "measured" : "printed", version(), kLine);
    if (!origin.empty()) fmt::print(out(), "# Measured by {}; not by Scalemark\n", origin);
    fmt::print(out(), "# MPI_Datatype                   :   MPI_BYTE\n");
    fmt::print(out(), "# MPI_Datatype for reductions    :   MPI_FLOAT\n");
    fmt::print(out(), "# MPI_Op                         :   MPI_SUM\n");
  }

  void add(const CaseResult& result) override {
    const ImbTest* test = find_imb_test(result.name);
    const Metric* time = result.find(result.primary_metric);
    const std::string table = planned_.table_of(result);
    // IMB measures only MPI, so a reader would take any number for MPI's.
    if (test == nullptr || result.status != Status::ok || time == nullptr || time->unit != "s" ||
        print::param_text(result, "backend") != "mpi") {
      print_left_out(result);
    } else if (const std::string why = add_row(*test, result, *time, table); !why.empty()) {
      print_left_out(result, why);
    }
    if (planned_.case_done(table)) queue_.finish(table);
    out().flush();
  }

  void end(const Run& run) override {
    queue_.finish();
    print::Printer::end(run);
  }

 private:
  /// Adds a row. Returns the reason if the case has none, else an empty text.
  std::string add_row(const ImbTest& test, const CaseResult& result, const Metric& time,
                      const std::string& table) {
    if (const std::string why = why_no_imb_case(test, result); !why.empty()) return why;
    ImbRow row;
    row.repetitions = repetitions(result, time.samples);
    const auto spread = spread_over_ranks(result, time);
    if (!spread && test.ranks_alike) return "it has no times of single ranks";
    row.time = spread.value_or(osu_statistic(time));
    if (std::string_view(test.benchmark) != kImbBarrier)
      row.bytes = print::param_integer(result, "bytes");
    row.rate = imb_rate(test, result, row);
    if (!row.has_numbers()) return "its time is not a number";
    const bool is_first = known_.insert(table).second;
    queue_.add(table, (is_first ? header(test, result) : "") + text_of(test, row));
    return "";
  }

  std::string text_of(const ImbTest& test, const ImbRow& row) const {
    const auto number = [&](double value) {
      const std::string digits = fmt::format("{:.{}f}", value, options().decimals.value_or(2));
      return fmt::format("{:>{}}", digits, std::max<std::size_t>(13, digits.size() + 1));
    };
    std::string text = row.bytes ? fmt::format("{:>13}", *row.bytes) : "";
    text += fmt::format("{:>13}", row.repetitions);
    if (test.ranks_alike) {
      text += number(row.time.minimum * kMicrosecondsImb);
      text += number(row.time.maximum * kMicrosecondsImb);
    }
    text += number(row.time.average * kMicrosecondsImb);
    if (test.has_rate) text += number(row.rate / kMegabytesImb);
    return text + "\n";
  }

  static std::string header(const ImbTest& test, const CaseResult& result) {
    constexpr const char* kLine = "#---------------------------------------------------";
    std::string text = fmt::format("\n{}\n# Benchmarking {}\n# #processes = {}\n# {}{}\n{}\n",
                                   kLine, test.imb_name, print::param_text(result, "ranks"),
                                   kImbParameters, print::params_without_bytes(result), kLine);
    if (std::string_view(test.benchmark) != kImbBarrier) text += fmt::format("{:>13}", "#bytes");
    text += fmt::format("{:>13}", "#repetitions");
    text += test.ranks_alike
                ? fmt::format("{:>13}{:>13}{:>13}", "t_min[usec]", "t_max[usec]", "t_avg[usec]")
                : fmt::format("{:>13}", "t[usec]");
    return text + (test.has_rate ? "   Mbytes/sec\n" : "\n");
  }

  print::PlannedTables planned_{{"bytes"}};  ///< cases that differ only in size share a table
  print::TableQueue queue_{out()};
  std::set<std::string> known_;  ///< tables with a printed header
};

}  // namespace

std::shared_ptr<ResultSink> make_imb_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<ImbPrinter>(out, options);
}

}  // namespace scalemark::formats
