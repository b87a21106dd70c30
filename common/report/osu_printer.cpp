// SPDX-License-Identifier: Apache-2.0
// The text of the OSU micro-benchmarks 7.4, with OSU's own statistic, for tools that read it.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/version.hpp"
#include "common/report/osu_tests.hpp"
#include "common/report/printers.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::report {
namespace {

constexpr double kMicroseconds = 1e6;
constexpr double kMegabytes = 1e6;

/// A barrier moves nothing.
bool has_sizes(const OsuTest& test) { return test.datatype[0] != '\0'; }

const OsuTest* find_test(std::string_view name) {
  for (const OsuTest& test : kOsuTests) {
    if (name == test.name) return &test;
  }
  return nullptr;
}

/// MPI's name of the type: that of the key, or of our data.
std::string datatype(const OsuTest& test, const CaseResult& result) {
  const std::string ours = param_text(result, "dtype");
  for (const OsuType& type : kOsuTypes) {
    if (ours == type.ours) return type.theirs;
  }
  return ours.empty() ? test.datatype : ours;
}

class OsuPrinter final : public Printer {
 public:
  using Printer::Printer;

  void add(const CaseResult& result) override {
    const OsuTest* test = find_test(result.name);
    const Metric* metric = result.find(result.primary_metric);
    const bool is_rate = test != nullptr && test->is_rate;
    const bool printable_row = test != nullptr && result.status == Status::ok &&
                               metric != nullptr && metric->unit == (is_rate ? "By/s" : "s");
    if (printable_row) {
      print_row(*test, result, *metric);
    } else {
      print_left_out(result);
    }
    out().flush();
  }

 private:
  void print_row(const OsuTest& test, const CaseResult& result, const Metric& metric) {
    // One table holds what differs in nothing but the size.
    if (const std::string table = params_without_bytes(result); &test != test_ || table != table_) {
      test_ = &test;
      table_ = table;
      print_header(test, result);
    }
    const int decimals = options().decimals.value_or(2);
    if (test.is_rate) {
      fmt::print(out(), "{:<10}{:>18.{}f}\n", param_text(result, "bytes"),
                 median_of(result, metric) / kMegabytes, decimals);
      return;
    }
    const double microseconds = osu_statistic(metric).average * kMicroseconds;
    if (has_sizes(test)) {
      fmt::print(out(), "{:<10}{:>18.{}f}\n", param_text(result, "bytes"), microseconds, decimals);
    } else {
      fmt::print(out(), "{:>17.{}f}\n", microseconds, decimals);
    }
  }

  void print_header(const OsuTest& test, const CaseResult& result) {
    const std::string_view whole = version();
    const std::string_view major_minor = whole.substr(0, whole.rfind('.'));
    const bool device = param_text(result, "memory") == "device";
    // OSU's text does not say how many ranks took part; two tables may differ in nothing else.
    fmt::print(out(), "\n# OSU {}{} {} v7.4 (OSU 7.4 format, measured by Scalemark {};{})\n",
               param_text(result, "backend") == "nccl" ? "NCCL" : "MPI", device ? "-CUDA" : "",
               test.title, major_minor, table_);
    const char* column = test.is_rate ? "Bandwidth (MB/s)" : "Avg Latency(us)";
    if (!has_sizes(test)) {
      fmt::print(out(), "# {}\n", column);
      return;
    }
    fmt::print(out(), "# Datatype: {}.\n", datatype(test, result));
    fmt::print(out(), "{:<10}{:>18}\n", "# Size", column);
  }

  const OsuTest* test_ = nullptr;
  std::string table_;
};

}  // namespace

std::shared_ptr<ResultSink> make_osu_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<OsuPrinter>(out, options);
}

}  // namespace scalemark::report
