// SPDX-License-Identifier: Apache-2.0
// Tidy CSV: one line per sample, with one column per axis at the end.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/formats/exporters.hpp"
#include "common/print/axis_columns.hpp"
#include "common/print/printers.hpp"
#include "common/text/cells.hpp"

namespace scalemark::formats {
namespace {

using text::csv_cell;

constexpr std::string_view kColumns =
    "run,key,status,reason,metric,unit,better,rank,iteration,warmup,flags,value";

void print_samples(const std::string& start, const Metric& metric, const std::string& axes,
                   std::ostream& out) {
  const Samples& samples = metric.samples;
  const std::string row = fmt::format("{},{},{},{}", start, csv_cell(metric.name),
                                      csv_cell(metric.unit), to_string(metric.better));
  for (std::size_t rank = 0; rank < samples.ranks; ++rank) {
    for (std::size_t i = 0; i < samples.iterations; ++i) {
      const double value = samples.value(rank, i);
      fmt::print(out, "{},{},{},{},{},{}{}\n", row, rank, i, samples.is_warmup(i) ? 1 : 0,
                 samples.flags.empty() ? 0 : samples.flags[i],
                 std::isfinite(value) ? fmt::format("{}", value) : std::string(), axes);
    }
  }
}

class SamplesExport final : public print::Printer {
 public:
  using Printer::Printer;

  void begin(const Run& run) override {
    axes_ = print::AxisColumns(run.planned, kColumns);
    fmt::print(out(), "{}{}\n", kColumns, axes_.header());
    run_ = csv_cell(run.uuid);
  }

  void add(const CaseResult& result) override {
    const std::string start = fmt::format("{},{},{},{}", run_, csv_cell(result.key),
                                          to_string(result.status), csv_cell(result.reason));
    const std::string axes = axes_.cells(result.params);
    bool any = false;
    for (const Metric& metric : result.metrics) {
      print_samples(start, metric, axes, out());
      any = any || metric.samples.ranks > 0;
    }
    // A case without samples still gets a line.
    if (!any) fmt::print(out(), "{},,,,,,,,{}\n", start, axes);
  }

 private:
  std::string run_;
  print::AxisColumns axes_;
};

}  // namespace

std::shared_ptr<ResultSink> make_samples_export(const ExportOptions& /*options*/,
                                                const ExportTarget& target) {
  return std::make_shared<SamplesExport>(target.out, PrintOptions{});
}

}  // namespace scalemark::formats
