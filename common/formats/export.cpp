// SPDX-License-Identifier: Apache-2.0
// Table of export formats.
#include "common/formats/export.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/exporters.hpp"
#include "common/formats/make_printer.hpp"
#include "common/print/printer.hpp"
#include "common/print/printers.hpp"

namespace scalemark::formats {
namespace {

using Make = std::shared_ptr<ResultSink> (*)(const ExportOptions& options,
                                             const ExportTarget& target);

struct Exporter {
  const char* name;
  const char* what;
  Make make;
};

/// Collects a whole run, without samples that the format does not need.
class WholeRun final : public print::Printer {
 public:
  /// Removes the samples of a metric that the format does not need.
  using Reduce = void (*)(const CaseResult& result, Metric& metric);
  using Write = void (*)(const Run& run, const ExportOptions& options, const ExportTarget& target);
  WholeRun(Reduce reduce, Write write, ExportOptions options, ExportTarget target)
      : Printer(target.out, {}),
        reduce_(reduce),
        write_(write),
        how_(std::move(options)),
        target_(std::move(target)) {}

  void begin(const Run& run) override { run_ = run; }
  void add(const CaseResult& result) override {
    CaseResult kept = result;
    for (Metric& metric : kept.metrics) reduce_(result, metric);
    run_.cases.push_back(std::move(kept));
  }
  void end(const Run& run) override {
    write_(run_, how_, target_);
    Printer::end(run);
  }

 private:
  Reduce reduce_;
  Write write_;
  ExportOptions how_;
  ExportTarget target_;
  Run run_;
};

void reduce_for_mllog(const CaseResult& result, Metric& metric) {
  if (!mllog_needs(result, metric)) metric.samples = {};
}

void drop_samples(const CaseResult& /*result*/, Metric& metric) { metric.samples = {}; }

constexpr std::array kExporters = {
    Exporter{"csv", "one line per sample; --summary: one line per metric",
             [](const ExportOptions& options, const ExportTarget& target) {
               return options.summary ? make_printer("csv", target.out, {})
                                      : make_samples_export(options, target);
             }},
    Exporter{"jsonl", "JSON Lines of runs with all samples, which `import` reads",
             make_runs_export},
    Exporter{"cases", "one JSON object per case, as `run --format jsonl`",
             [](const ExportOptions&, const ExportTarget& target) {
               return make_printer("jsonl", target.out, {});
             }},
    Exporter{"osu", "the OSU micro-benchmarks' text, as `show --format osu`",
             [](const ExportOptions&, const ExportTarget& target) {
               return make_printer("osu", target.out, {});
             }},
    Exporter{"imb", "the Intel MPI Benchmarks' text, as `show --format imb`",
             [](const ExportOptions&, const ExportTarget& target) {
               return make_printer("imb", target.out, {});
             }},
    Exporter{"nccl", "nccl-tests' text, as `show --format nccl`",
             [](const ExportOptions&, const ExportTarget& target) {
               return make_printer("nccl", target.out, {});
             }},
    Exporter{"nvbandwidth", "nvbandwidth's JSON, as `show --format nvbandwidth`",
             [](const ExportOptions&, const ExportTarget& target) {
               return make_printer("nvbandwidth", target.out, {});
             }},
    Exporter{"google-benchmark",
             "Google Benchmark's JSON: mean, median, stddev and cv of each case; --repetitions: "
             "every iteration, too",
             [](const ExportOptions& options, const ExportTarget& target) {
               return make_printer("google-benchmark", target.out,
                                   {.verbosity = options.repetitions ? 1 : 0});
             }},
    Exporter{"fom", "lines FOM and RESULT for ReFrame, JUBE and Ramble", make_fom_export},
    Exporter{"openmetrics", "OpenMetrics text, for Prometheus", make_openmetrics_export},
    Exporter{"bmf", "Bencher Metric Format, for bencher.dev", make_bmf_export},
    Exporter{"github", "JSON for github-action-benchmark, customSmallerIsBetter",
             make_github_export},
    Exporter{"mllog", "trainings as MLPerf logging lines",
             [](const ExportOptions& options,
                const ExportTarget& target) -> std::shared_ptr<ResultSink> {
               return std::make_shared<WholeRun>(reduce_for_mllog, export_mllog, options, target);
             }},
    Exporter{"mlperf-system", "MLPerf's system description, JSON",
             [](const ExportOptions& options,
                const ExportTarget& target) -> std::shared_ptr<ResultSink> {
               return std::make_shared<WholeRun>(drop_samples, export_mlperf_system, options,
                                                 target);
             }},
    Exporter{"trace", "when cases, phases, steps and epochs ran, for Perfetto and Chrome",
             [](const ExportOptions& options,
                const ExportTarget& target) -> std::shared_ptr<ResultSink> {
               return std::make_shared<WholeRun>(reduce_for_trace, export_trace, options, target);
             }},
};

}  // namespace

std::vector<ExportFormat> export_formats() {
  std::vector<ExportFormat> formats;
  for (const Exporter& format : kExporters) formats.push_back({format.name, format.what});
  return formats;
}

std::shared_ptr<ResultSink> make_export(std::string_view format, const ExportOptions& options,
                                        const ExportTarget& target) {
  std::vector<std::string> known;
  for (const Exporter& exporter : kExporters) {
    if (format == exporter.name) return exporter.make(options, target);
    known.emplace_back(exporter.name);
  }
  throw UsageError(fmt::format("--to is \"{}\"; allowed: {}", text::printable(format, 64),
                               text::join(known, ", ")));
}

}  // namespace scalemark::formats
