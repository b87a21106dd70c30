// SPDX-License-Identifier: Apache-2.0
// The text of the OSU micro-benchmarks 7.4, with OSU's own statistic, for tools that read it.
#include <array>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/report/printers.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::report {
namespace {

/// A benchmark that OSU has too.
struct Test {
  const char* name;
  const char* title;
  const char* datatype;  ///< of our data; OSU's default is MPI_CHAR
};
constexpr std::array kTests = {Test{"micro/pingpong", "Latency Test", "MPI_CHAR"},
                               Test{"micro/allreduce", "Allreduce Latency Test", "MPI_FLOAT"},
                               Test{"micro/allgather", "Allgather Latency Test", "MPI_CHAR"}};

const Test* find_test(std::string_view name) {
  for (const Test& test : kTests) {
    if (name == test.name) return &test;
  }
  return nullptr;
}

std::string param(const CaseResult& result, const char* axis) {
  const auto found = result.params.find(axis);
  return found == result.params.end() ? std::string() : text::printable(to_text(found->second));
}

/// One table holds what differs in nothing but the size.
std::string table_of(const CaseResult& result) {
  Params params = result.params;
  params.erase("bytes");
  return make_key(result.name, params);
}

class OsuPrinter final : public Printer {
 public:
  using Printer::Printer;

  void add(const CaseResult& result) override {
    const Test* test = find_test(result.name);
    const Metric* latency = result.find(result.primary_metric);
    const bool printable_row = test != nullptr && result.status == Status::ok &&
                               latency != nullptr && latency->kind == MetricKind::duration;
    if (printable_row) {
      print_row(*test, result, *latency);
    } else {
      fmt::print(out(), "# not in this format: {}: {}{}\n", text::printable(result.key),
                 to_string(result.status),
                 result.reason.empty() ? "" : ", " + text::printable(result.reason));
    }
    out().flush();
  }

 private:
  void print_row(const Test& test, const CaseResult& result, const Metric& latency) {
    if (const std::string table = table_of(result); table != table_) {
      table_ = table;
      print_header(test, result);
    }
    constexpr double kMicroseconds = 1e6;
    fmt::print(out(), "{:<10}{:>18.{}f}\n", param(result, "bytes"),
               osu_statistic(latency).average * kMicroseconds, options().decimals.value_or(2));
  }

  void print_header(const Test& test, const CaseResult& result) {
    const std::string_view whole = version();
    const std::string_view major_minor = whole.substr(0, whole.rfind('.'));
    const bool device = param(result, "memory") == "device";
    fmt::print(out(), "\n# OSU {}{} {} v7.4 (OSU 7.4 format, measured by Scalemark {})\n",
               param(result, "backend") == "nccl" ? "NCCL" : "MPI", device ? "-CUDA" : "",
               test.title, major_minor);
    fmt::print(out(), "# Datatype: {}.\n", test.datatype);
    fmt::print(out(), "{:<10}{:>18}\n", "# Size", "Avg Latency(us)");
  }

  std::string table_;
};

}  // namespace

std::shared_ptr<ResultSink> make_osu_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<OsuPrinter>(out, options);
}

}  // namespace scalemark::report
