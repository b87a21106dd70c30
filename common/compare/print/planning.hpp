// SPDX-License-Identifier: Apache-2.0
// Prints A/A tests, plans of runs and plans of jobs as text and JSON.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/compare/planning/job_plan.hpp"
#include "common/compare/planning/run_plan.hpp"
#include "common/compare/planning/self_test.hpp"

namespace scalemark::compare {

/// Options of the text format.
struct PlanPrintOptions {
  bool all = false;       ///< print all rows, not only the first ten
  std::size_t width = 0;  ///< width of the terminal in columns; 0 = no limit
};

/// Number of rows that text shows without `all`.
inline constexpr std::size_t kPlanRows = 10;

/// A fraction in percent without sign; "-" for NaN.
std::string plain_percent(double fraction);

/// A duration: 0.25 s, 45.0 s, 12.5 min, 3.2 h; "-" for NaN.
std::string job_time(double seconds);

/// Names of the formats: text, json.
std::vector<std::string> plan_formats();

/// Prints an A/A test. Throws UsageError for an unknown format.
void print_self_test(const SelfTest& test, std::string_view format, std::ostream& out,
                     const PlanPrintOptions& options = {});

/// Prints a run plan. Throws UsageError for an unknown format.
void print_run_plan(const RunPlan& plan, std::string_view format, std::ostream& out,
                    const PlanPrintOptions& options = {});

/// Prints a plan of a job as "text" or "json".
void print_job_plan(const JobPlan& plan, const JobShape& shape, std::string_view format,
                    std::ostream& out, const PlanPrintOptions& options = {});

/// The JSON documents `scalemark-self-test`, `scalemark-run-plan` and `scalemark-job-plan`, version
/// 1. Rates and changes are fractions.
nlohmann::ordered_json to_json(const SelfTest& test);
nlohmann::ordered_json to_json(const RunPlan& plan);
nlohmann::ordered_json to_json(const JobPlan& plan, const JobShape& shape);

}  // namespace scalemark::compare
