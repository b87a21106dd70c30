// SPDX-License-Identifier: Apache-2.0
// Fills the columns of OSU's tables from a case, with OSU's own statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/formats/osu/osu_tests.hpp"
#include "common/print/printer.hpp"
#include "common/result/model.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::formats {

/// A column with its text in one row.
struct OsuColumn {
  std::string heading;
  std::string text;  ///< empty for NaN or infinity
  std::size_t width = 18;
};

/// The columns after the size. `options.verbosity` 1 adds OSU's -f to collectives and -c to other
/// tests; 2 adds -c and -z. Columns for which the case has no numbers are left out. Empty if the
/// case lacks the table's main metric.
std::vector<OsuColumn> osu_columns(const OsuTest& test, const CaseResult& result,
                                   const PrintOptions& options);

/// The sentence of osu_init, truncated to whole milliseconds as in OSU; empty if the case has no
/// times.
std::string osu_init_sentence(const CaseResult& result);

/// Number of timed operations: as another program stated, or samples after the warm-up times
/// operations per sample.
std::uint64_t repetitions(const CaseResult& result, const Samples& samples);

/// Mean, minimum and maximum over ranks of each rank's mean. For an import, the values in its file;
/// empty if it has none.
std::optional<OsuStatistic> spread_over_ranks(const CaseResult& result, const Metric& metric);

/// The number that another program printed of a metric with this unit. Nothing where there is none,
/// or where it was measured here or follows from other metrics.
std::optional<double> printed_number(const CaseResult& result, const std::string& name,
                                     const std::string& unit);

/// Whether the verification of the case's data found errors.
bool has_wrong_data(const CaseResult& result);

}  // namespace scalemark::formats
