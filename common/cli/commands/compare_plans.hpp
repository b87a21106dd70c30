// SPDX-License-Identifier: Apache-2.0
// Modes of `scalemark compare` on one set of runs: how noisy they are (--aa), and which changes
// more runs would find (--power).
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/compare/planning/self_test.hpp"

namespace scalemark::cli {

struct PlanOptions {
  bool self_test = false;  ///< --aa
  bool power = false;      ///< --power
  std::vector<int> runs = {3, 5, 10};
  std::vector<double> effects_percent = {2, 5, 10};
  std::string budget;
  std::vector<std::string> systems;  ///< --systems: NAME=PATH
  bool all = false;

  bool asked() const { return self_test || power || !systems.empty(); }
};

/// Returns the options that replace --against.
std::vector<CLI::Option*> add_plan_options(CLI::App& command, PlanOptions& options);

/// Options that the modes share with a comparison.
struct ModeRequest {
  compare::CompareOptions compare;
  std::string format;
  /// Values of --fail-on. Empty = not given, and then nothing fails.
  std::set<std::string> fail_on;
};

/// Options of the A/A test for these comparison options.
compare::SelfTestOptions self_test_options(const compare::CompareOptions& options);

/// Runs `--aa` or `--power` on the runs that `base` names. Returns the exit code.
int plan_runs(const std::vector<std::filesystem::path>& base, const PlanOptions& options,
              const ModeRequest& request);

}  // namespace scalemark::cli
