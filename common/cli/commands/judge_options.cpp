// SPDX-License-Identifier: Apache-2.0
// Options that control the verdict of a comparison.
#include "common/cli/commands/judge_options.hpp"

#include "common/cli/numbers.hpp"
#include "common/compare/match_axes.hpp"

namespace scalemark::cli {
namespace {

compare::Pairing pairing_of(const std::string& paired) {
  return paired == "auto"  ? compare::Pairing::automatic
         : paired == "yes" ? compare::Pairing::yes
                           : compare::Pairing::no;
}

}  // namespace

compare::CompareOptions compare_options_of(const JudgeOptions& options) {
  compare::CompareOptions compare_options;
  compare_options.threshold = options.threshold_percent / 100;
  if (options.single_run_percent)
    compare_options.single_run_threshold = *options.single_run_percent / 100;
  compare_options.fwer = options.fwer;
  compare_options.relative_to_run = options.relative_to_run;
  compare_options.pairing = pairing_of(options.paired);
  for (const std::string& map : options.maps) compare_options.maps.push_back(parse_axis_map(map));
  return compare_options;
}

CLI::Option* add_judge_options(CLI::App& command, JudgeOptions& options) {
  take_number(command.add_option("--threshold", options.threshold_percent,
                                 "Changes of up to this many percent do not count: 1, 1%"),
              {NumberRule::Kind::percent, 0.001, 100, false})
      ->capture_default_str();
  take_number(command.add_option(
                  "--single-run-threshold", options.single_run_percent,
                  "With one run per side, where nothing can be tested: count a change for the "
                  "worse by more than this many percent as a regression in the exit code"),
              {NumberRule::Kind::percent, 0.001, 1000, false});
  command.add_flag("--fwer", options.fwer,
                   "Control the family-wise error rate (Holm) instead of the false discovery rate");
  command.add_flag(
      "--relative-to-run", options.relative_to_run,
      "Remove the shift common to all rows of a run; it is printed in a separate line");
  command
      .add_option(
          "--paired", options.paired,
          "Whether runs of A and B that took turns on the same nodes are compared in pairs; "
          "auto: where job id, nodes and start times say so")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->capture_default_str();
  CLI::Option* map = command.add_option(
      "--map", options.maps,
      "Match cases of different machines: 'AXIS=VALUE->VALUE' (A's and B's; in quotes; not with "
      "--systems), 'AXIS=*' (any value), AXIS=drop (as if no case had the axis); may be repeated");
  map->allow_extra_args(false);
  return map;
}

}  // namespace scalemark::cli
