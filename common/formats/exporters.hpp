// SPDX-License-Identifier: Apache-2.0
// One export function per format.
#pragma once

#include <memory>

#include "common/formats/export.hpp"

namespace scalemark::formats {

/// One line of JSON per run, as `scalemark import` reads it (docs/integration.md). Cases without
/// numbers are reported as notes. A rate is exported as the time it is computed from.
std::shared_ptr<ResultSink> make_runs_export(const ExportOptions& options,
                                             const ExportTarget& target);

/// Tidy CSV: one line per sample.
std::shared_ptr<ResultSink> make_samples_export(const ExportOptions& options,
                                                const ExportTarget& target);

/// A line FOM KEY METRIC VALUE UNIT for each metric of a successful case, and a last line RESULT
/// PASS or FAIL. FAIL: a case failed, timed out or found wrong data, the run is incomplete, or
/// OpenMetrics text.
std::shared_ptr<ResultSink> make_openmetrics_export(const ExportOptions& options,
                                                    const ExportTarget& target);
/// Bencher Metric Format.
std::shared_ptr<ResultSink> make_bmf_export(const ExportOptions& options,
                                            const ExportTarget& target);
/// JSON for github-action-benchmark, smaller is better.
std::shared_ptr<ResultSink> make_github_export(const ExportOptions& options,
                                               const ExportTarget& target);
/// there are no numbers.
std::shared_ptr<ResultSink> make_fom_export(const ExportOptions& options,
                                            const ExportTarget& target);

// These need the whole run. Samples that they do not use were removed before.

/// Whether the mllog export uses the samples of a metric.
bool mllog_needs(const CaseResult& result, const Metric& metric);
/// Removes samples that the trace does not show.
void reduce_for_trace(const CaseResult& result, Metric& metric);

/// Trainings as MLPerf logging lines. Throws UsageError if no training was successful.
void export_mllog(const Run& run, const ExportOptions& options, const ExportTarget& target);

/// MLPerf system description. Throws UsageError for an unknown field.
void export_mlperf_system(const Run& run, const ExportOptions& options, const ExportTarget& target);

/// Chrome trace format. Throws UsageError if no case has start and end times.
void export_trace(const Run& run, const ExportOptions& options, const ExportTarget& target);

}  // namespace scalemark::formats
