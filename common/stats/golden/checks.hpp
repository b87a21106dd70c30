// SPDX-License-Identifier: Apache-2.0
// Golden checks of the statistics for `scalemark verify`: special functions, adjusted p-values,
// tables of moderated t, series, quantiles. These files have no field `topic` and are recognised by
// their fields.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/golden/report.hpp"

namespace scalemark::stats {

void check_special(const nlohmann::json& file, const golden::Options& options,
                   golden::Report& report);
void check_adjusted(const nlohmann::json& file, const golden::Options& options,
                    golden::Report& report);
void check_tables(const nlohmann::json& file, const golden::Options& options,
                  golden::Report& report);
void check_series(const nlohmann::json& file, const golden::Options& options,
                  golden::Report& report);
void check_quantiles(const nlohmann::json& file, const golden::Options& options,
                     golden::Report& report);

/// Registers these topics; further calls do nothing.
void register_golden_checks();

}  // namespace scalemark::stats
