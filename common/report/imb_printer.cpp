// SPDX-License-Identifier: Apache-2.0
// The text of the Intel MPI Benchmarks 2021, with their own statistic, for tools that read it.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/version.hpp"
#include "common/report/imb_tests.hpp"
#include "common/report/osu_columns.hpp"
#include "common/report/printers.hpp"

namespace scalemark::report {
namespace {

constexpr double kMicrosecondsImb = 1e6;
constexpr double kMegabytesImb = 1e6;

const ImbTest* find_imb_test(std::string_view name) {
  const auto found = std::find_if(kImbTests.begin(), kImbTests.end(),
                                  [&](const ImbTest& test) { return name == test.ours; });
  return found == kImbTests.end() ? nullptr : &*found;
}

class ImbPrinter final : public Printer {
 public:
  using Printer::Printer;

  void begin(const Run& /*run*/) override {
    constexpr const char* kLine =
        "#----------------------------------------------------------------";
    fmt::print(out(), "{}\n#    IMB 2021.11 format, measured by Scalemark {}\n{}\n", kLine,
               version(), kLine);
    fmt::print(out(), "# MPI_Datatype                   :   MPI_BYTE\n");
    fmt::print(out(), "# MPI_Datatype for reductions    :   MPI_FLOAT\n");
    fmt::print(out(), "# MPI_Op                         :   MPI_SUM\n");
  }

  void add(const CaseResult& result) override {
    const ImbTest* test = find_imb_test(result.name);
    const Metric* metric = result.find(result.primary_metric);
    // IMB knows nothing but MPI: a reader would take any number for MPI's.
    if (test != nullptr && result.status == Status::ok && metric != nullptr &&
        metric->unit == "s" && param_text(result, "backend") == "mpi") {
      print_row(*test, result, *metric);
    } else {
      print_left_out(result);
    }
    out().flush();
  }

 private:
  void print_row(const ImbTest& test, const CaseResult& result, const Metric& metric) {
    const bool has_sizes = result.params.contains("bytes");
    const std::string pairs = params_without_bytes(result);
    if (&test != test_ || pairs != pairs_) {
      test_ = &test;
      pairs_ = pairs;
      print_header(test, result, has_sizes);
    }
    const int decimals = options().decimals.value_or(2);
    const OsuStatistic time = spread_over_ranks(result, metric).value_or(osu_statistic(metric));
    if (has_sizes) fmt::print(out(), "{:>13}", param_text(result, "bytes"));
    fmt::print(out(), "{:>13}", repetitions(result, metric.samples));
    const auto print_number = [&](double value) {
      fmt::print(out(), "{:>13.{}f}", value, decimals);
    };
    if (test.ranks_alike) {
      print_number(time.minimum * kMicrosecondsImb);
      print_number(time.maximum * kMicrosecondsImb);
    }
    print_number(time.average * kMicrosecondsImb);
    if (test.has_rate) print_number(rate_of(test, result, time));
    fmt::print(out(), "\n");
  }

  /// Of the slowest rank; both directions count where a rank sends and receives.
  static double rate_of(const ImbTest& test, const CaseResult& result, const OsuStatistic& time) {
    const auto bytes = result.params.find("bytes");
    const auto* count =
        bytes == result.params.end() ? nullptr : std::get_if<std::int64_t>(&bytes->second);
    if (count == nullptr || !(time.maximum > 0)) return 0;
    return (test.ranks_alike ? 2 : 1) * static_cast<double>(*count) / time.maximum / kMegabytesImb;
  }

  void print_header(const ImbTest& test, const CaseResult& result, bool has_sizes) {
    constexpr const char* kLine = "#---------------------------------------------------";
    fmt::print(out(), "\n{}\n# Benchmarking {}\n# #processes = {}\n# {}{}\n{}\n", kLine,
               test.theirs, param_text(result, "ranks"), kImbParameters, pairs_, kLine);
    if (has_sizes) fmt::print(out(), "{:>13}", "#bytes");
    fmt::print(out(), "{:>13}", "#repetitions");
    if (test.ranks_alike) {
      fmt::print(out(), "{:>13}{:>13}{:>13}", "t_min[usec]", "t_max[usec]", "t_avg[usec]");
    } else {
      fmt::print(out(), "{:>13}", "t[usec]");
    }
    fmt::print(out(), "{}\n", test.has_rate ? "   Mbytes/sec" : "");
  }

  const ImbTest* test_ = nullptr;
  std::string pairs_;
};

}  // namespace

std::shared_ptr<ResultSink> make_imb_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<ImbPrinter>(out, options);
}

}  // namespace scalemark::report
