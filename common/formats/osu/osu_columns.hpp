// SPDX-License-Identifier: Apache-2.0
// The columns of OSU's tables, filled from a case with OSU's own statistics.
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

/// A column of a table and what it holds in one row.
struct OsuColumn {
  std::string heading;
  std::string text;  ///< empty where there is no number: NaN or infinite
  std::size_t width = 18;
};

/// The columns behind the size. `options.verbosity` 1 adds OSU's -f to collectives and its -c to
/// the others, 2 adds -c and -z. A column that the case has no numbers for is left out: an import
/// brings what its file had. Empty where the case lacks what the table is about.
std::vector<OsuColumn> osu_columns(const OsuTest& test, const CaseResult& result,
                                   const PrintOptions& options);

/// The sentence of osu_init; empty where the case has no times. Whole milliseconds, as OSU cuts
/// them.
std::string osu_init_sentence(const CaseResult& result);

/// Operations that were timed: as another program said, or samples behind the warm-up, each of
/// several perhaps.
std::uint64_t repetitions(const CaseResult& result, const Samples& samples);

/// Mean, least and largest over ranks of each rank's mean; of an import those that it brought, and
/// nothing where it brought none.
std::optional<OsuStatistic> spread_over_ranks(const CaseResult& result, const Metric& metric);

/// Whether data that the case moved was checked and found wrong.
bool has_wrong_data(const CaseResult& result);

}  // namespace scalemark::formats
