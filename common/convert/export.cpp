// SPDX-License-Identifier: Apache-2.0
// The formats of exports.
#include "common/convert/export.hpp"

#include <array>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/convert/exporters.hpp"
#include "common/report/printer.hpp"

namespace scalemark::convert {
namespace {

struct Exporter {
  const char* name;
  const char* what;
  void (*write)(const Run& run, const ExportOptions& options, const ExportTarget& target);
};

/// What `scalemark show --format` prints.
void print(const Run& run, std::string_view format, const ExportTarget& target) {
  const std::shared_ptr<ResultSink> printer = make_printer(format, target.out, {});
  printer->begin(run);
  for (const CaseResult& one : run.cases) printer->add(one);
  printer->end(run);
}

constexpr std::array kExporters = {
    Exporter{"csv", "a line a sample; --summary: a line a metric", export_csv},
    Exporter{"jsonl", "JSON Lines of runs with all samples, which `import` reads", export_runs},
    Exporter{"cases", "one JSON object a case, as `show --format jsonl`",
             [](const Run& run, const ExportOptions&, const ExportTarget& target) {
               print(run, "jsonl", target);
             }},
    Exporter{"osu", "the OSU micro-benchmarks' text, as `show --format osu`",
             [](const Run& run, const ExportOptions&, const ExportTarget& target) {
               print(run, "osu", target);
             }},
    Exporter{"fom", "lines FOM and RESULT for ReFrame, JUBE and Ramble", export_fom},
    Exporter{"mllog", "trainings as MLPerf logging lines", export_mllog},
    Exporter{"mlperf-system", "MLPerf's system description, JSON", export_mlperf_system},
    Exporter{"trace", "when cases and epochs ran, for Perfetto and Chrome", export_trace},
};

}  // namespace

std::vector<ExportFormat> export_formats() {
  std::vector<ExportFormat> formats;
  for (const Exporter& format : kExporters) formats.push_back({format.name, format.what});
  return formats;
}

void export_run(const Run& run, std::string_view format, const ExportOptions& options,
                const ExportTarget& target) {
  std::vector<std::string> names;
  for (const Exporter& known : kExporters) {
    if (format == known.name) return known.write(run, options, target);
    names.emplace_back(known.name);
  }
  throw UsageError(fmt::format("--to is \"{}\"; allowed: {}", text::printable(format, 64),
                               text::join(names, ", ")));
}

}  // namespace scalemark::convert
