// SPDX-License-Identifier: Apache-2.0
// One function a format.
#pragma once

#include <memory>

#include "common/formats/export.hpp"

namespace scalemark::formats {

/// One line of JSON: the run as `scalemark import` reads it (docs/integration.md). Cases without
/// numbers are noted. A rate is exported as the time that it derives from.
std::shared_ptr<ResultSink> make_runs_export(const ExportOptions& options,
                                             const ExportTarget& target);

/// Tidy CSV: a line a sample.
std::shared_ptr<ResultSink> make_samples_export(const ExportOptions& options,
                                                const ExportTarget& target);

/// Lines FOM KEY METRIC VALUE UNIT, one for each metric of a case that ended well, and last RESULT
/// PASS or FAIL. FAIL: a case failed, timed out or found wrong data, the run is not complete, or
/// there is no number.
std::shared_ptr<ResultSink> make_fom_export(const ExportOptions& options,
                                            const ExportTarget& target);

// These look at the whole run, of which the samples of other cases and metrics are gone.

/// Whether a metric's samples are needed.
bool mllog_needs(const CaseResult& result, const Metric& metric);
/// Leaves of a metric what the trace shows of it.
void reduce_for_trace(const CaseResult& result, Metric& metric);

/// Trainings as MLPerf logging lines. Throws UsageError if none ended well.
void export_mllog(const Run& run, const ExportOptions& options, const ExportTarget& target);

/// MLPerf's system description. Throws UsageError for a field of another name.
void export_mlperf_system(const Run& run, const ExportOptions& options, const ExportTarget& target);

/// Chrome's trace format. Throws UsageError if no case says when it ran.
void export_trace(const Run& run, const ExportOptions& options, const ExportTarget& target);

}  // namespace scalemark::formats
