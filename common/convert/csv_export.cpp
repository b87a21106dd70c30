// SPDX-License-Identifier: Apache-2.0
// Tidy CSV: a line a sample.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/convert/exporters.hpp"
#include "common/report/cells.hpp"
#include "common/report/printers.hpp"

namespace scalemark::convert {
namespace {

using report::csv_cell;

void print_samples(const std::string& start, const Metric& metric, std::ostream& out) {
  const Samples& samples = metric.samples;
  const std::string row = fmt::format("{},{},{},{}", start, csv_cell(metric.name),
                                      csv_cell(metric.unit), to_string(metric.better));
  for (std::size_t rank = 0; rank < samples.ranks; ++rank) {
    for (std::size_t i = 0; i < samples.iterations; ++i) {
      const double value = samples.value(rank, i);
      fmt::print(out, "{},{},{},{},{},{}\n", row, rank, i, samples.is_warmup(i) ? 1 : 0,
                 samples.flags.empty() ? 0 : samples.flags[i],
                 std::isfinite(value) ? fmt::format("{}", value) : std::string());
    }
  }
}

class SamplesExport final : public report::Printer {
 public:
  using Printer::Printer;

  void begin(const Run& run) override {
    fmt::print(out(),
               "run,key,status,reason,metric,unit,better,rank,iteration,warmup,flags,value\n");
    run_ = csv_cell(run.uuid);
  }

  void add(const CaseResult& result) override {
    const std::string start = fmt::format("{},{},{},{}", run_, csv_cell(result.key),
                                          to_string(result.status), csv_cell(result.reason));
    bool any = false;
    for (const Metric& metric : result.metrics) {
      print_samples(start, metric, out());
      any = any || metric.samples.ranks > 0;
    }
    // A case without samples keeps its place, so that it is not missed.
    if (!any) fmt::print(out(), "{},,,,,,,,\n", start);
  }

 private:
  std::string run_;
};

}  // namespace

std::shared_ptr<ResultSink> make_samples_export(const ExportOptions& /*options*/,
                                                const ExportTarget& target) {
  return std::make_shared<SamplesExport>(target.out, PrintOptions{});
}

}  // namespace scalemark::convert
