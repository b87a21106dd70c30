// SPDX-License-Identifier: Apache-2.0
// Verdict options shared by `compare` and `report`, so that both reach the same verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/compare/compare.hpp"

namespace scalemark::cli {

struct JudgeOptions {
  double threshold_percent = 1;
  std::optional<double> single_run_percent;
  bool fwer = false, relative_to_run = false;
  std::string paired = "auto";
  std::vector<std::string> maps;
};

/// Adds --threshold, --single-run-threshold, --fwer, --relative-to-run, --paired and --map. Returns
/// the last.
CLI::Option* add_judge_options(CLI::App& command, JudgeOptions& options);

/// Throws UsageError for a malformed --map.
compare::CompareOptions compare_options_of(const JudgeOptions& options);

}  // namespace scalemark::cli
