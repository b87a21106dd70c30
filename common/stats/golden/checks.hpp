// SPDX-License-Identifier: Apache-2.0
// The golden files of the statistics, for `scalemark verify`: special functions, adjusted p-values,
// tables of moderated t, series, quantiles. They have no field `topic`; their fields tell them
// apart.
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

/// Registers these topics, once.
void register_golden_checks();

}  // namespace scalemark::stats
