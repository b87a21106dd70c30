// SPDX-License-Identifier: Apache-2.0
// What was found about runs before they are compared - their noise, and what more of them would
// find - as text for people and JSON for programs.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/compare/planning/run_plan.hpp"
#include "common/compare/planning/self_test.hpp"

namespace scalemark::compare {

struct PlanPrintOptions {
  bool all = false;       ///< every row in text, not only the ten that matter most
  std::size_t width = 0;  ///< columns of the terminal; 0 = not limited
};

/// Rows that text shows of a table without `all`.
inline constexpr std::size_t kPlanRows = 10;

/// A fraction in percent, without a sign; "-" for NaN.
std::string plain_percent(double fraction);

/// text, json.
std::vector<std::string> plan_formats();

/// Throws UsageError for a format that does not exist.
void print_self_test(const SelfTest& test, std::string_view format, std::ostream& out,
                     const PlanPrintOptions& options = {});

void print_run_plan(const RunPlan& plan, std::string_view format, std::ostream& out,
                    const PlanPrintOptions& options = {});

/// The documents `scalemark-self-test` and `scalemark-run-plan`, version 1. Rates and changes are
/// fractions.
nlohmann::ordered_json to_json(const SelfTest& test);
nlohmann::ordered_json to_json(const RunPlan& plan);

}  // namespace scalemark::compare
