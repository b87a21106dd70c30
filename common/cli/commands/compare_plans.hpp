// SPDX-License-Identifier: Apache-2.0
// What `scalemark compare` does besides comparing two sides: how noisy one set of runs is (--aa),
// what more of them would find (--power), and the options of these modes.
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

/// Returns the options that take the place of --against.
std::vector<CLI::Option*> add_plan_options(CLI::App& command, PlanOptions& options);

/// What the modes share with a comparison.
struct ModeRequest {
  compare::CompareOptions compare;
  std::string format;
  /// As given with --fail-on; empty = not given, and then nothing fails.
  std::set<std::string> fail_on;
};

/// How an A/A test is done with these options.
compare::SelfTestOptions self_test_options(const compare::CompareOptions& options);

/// `--aa` or `--power` with the runs that `base` stands for. Returns the exit code.
int plan_runs(const std::vector<std::filesystem::path>& base, const PlanOptions& options,
              const ModeRequest& request);

}  // namespace scalemark::cli
