// SPDX-License-Identifier: Apache-2.0
// The CSV format: one line per metric of a case, or one line for a case without metrics. Axes are
// the last columns.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/print/axis_columns.hpp"
#include "common/print/printers.hpp"
#include "common/result/summarise.hpp"
#include "common/text/cells.hpp"

namespace scalemark::print {
namespace {

constexpr std::string_view kColumns =
    "run,key,name,status,reason,metric,primary,unit,better,median,low,high,n,mean,min,max,p95,p99,"
    "p999";

class CsvPrinter final : public Printer {
 public:
  using Printer::Printer;

  void begin(const Run& run) override {
    run_ = text::csv_cell(run.uuid);
    axes_ = AxisColumns(run.planned, kColumns);
    fmt::print(out(), "{}{}\n", kColumns, axes_.header());
  }

  void add(const CaseResult& result) override {
    const std::string start =
        fmt::format("{},{},{},{},{}", run_, text::csv_cell(result.key), text::csv_cell(result.name),
                    to_string(result.status), text::csv_cell(result.reason));
    const std::string axes = axes_.cells(result.params);
    for (const Metric& metric : result.metrics) {
      const Summary summary = summarise(result, metric);
      fmt::print(out(), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{}\n", start,
                 text::csv_cell(metric.name), metric.name == result.primary_metric,
                 text::csv_cell(metric.unit), to_string(metric.better),
                 text::csv_number(summary.median), text::csv_number(summary.low),
                 text::csv_number(summary.high), summary.n, text::csv_number(summary.mean),
                 text::csv_number(summary.min), text::csv_number(summary.max),
                 text::csv_number(summary.p95), text::csv_number(summary.p99),
                 text::csv_number(summary.p999), axes);
    }
    if (result.metrics.empty()) fmt::print(out(), "{},,,,,,,,,,,,,,{}\n", start, axes);
    out().flush();
  }

 private:
  std::string run_;
  AxisColumns axes_;
};

}  // namespace

std::shared_ptr<ResultSink> make_csv_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<CsvPrinter>(out, options);
}

}  // namespace scalemark::print
