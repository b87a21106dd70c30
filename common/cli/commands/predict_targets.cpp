// SPDX-License-Identifier: Apache-2.0
// Checks axes as `run` does, and sorts them.
#include "common/cli/commands/predict_targets.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/plan.hpp"
#include "common/predict/schedule.hpp"

namespace scalemark::cli {
namespace {

std::vector<std::int64_t> numbers(const AxisOverride& axis, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> values = text::parse_integers(axis.values);
  for (const std::int64_t one : values) {
    if (one < low || one > high)
      throw UsageError(fmt::format("-a {}: {} is not in {} to {}", axis.axis, one, low, high));
  }
  return values;
}

AxisOverride checked(const std::string& word, const std::string& workload,
                     const Benchmark* benchmark) {
  AxisOverride axis = parse_override(word);
  if (!axis.benchmark.empty() && axis.benchmark != workload)
    throw UsageError(fmt::format("--axis is '{}', and --workload is '{}'; allowed: axes of that",
                                 text::printable(word, 120), text::printable(workload, 100)));
  if (benchmark != nullptr) check_overrides(Registry::instance(), {benchmark}, {axis});
  return axis;
}

/// As keys have it: "images=2048" for images=2K.
std::string word_of(const AxisOverride& axis, const Benchmark* benchmark) {
  if (benchmark == nullptr) return axis.axis + "=" + axis.values;
  const std::vector<Value> values = benchmark->find_axis(axis.axis)->parse(axis.values);
  if (values.size() != 1)
    throw UsageError(fmt::format("-a {0}={1} are {2} values; allowed: one value of {0}", axis.axis,
                                 text::printable(axis.values, 120), values.size()));
  return axis.axis + "=" + to_text(values.front());
}

}  // namespace

std::string RowTargets::options() const {
  std::string options;
  for (const std::string& word : words) options += " -a " + text::printable(word, 100);
  return options;
}

RowTargets axes_of(const RowPrediction& request, int fewest) {
  const Benchmark* const benchmark = Registry::instance().find(request.workload);
  RowTargets targets;
  for (const std::string& word : request.axes) {
    const AxisOverride axis = checked(word, request.workload, benchmark);
    if (axis.axis == "ranks")
      targets.ranks = numbers(axis, fewest, predict::kMaxRanks);
    else if (axis.axis == "bytes")
      targets.bytes = numbers(axis, 0, std::int64_t{1} << 40);
    else
      targets.words.push_back(word_of(axis, benchmark));
  }
  return targets;
}

RowTargets targets_of(const RowPrediction& request, int fewest) {
  RowTargets targets = axes_of(request, fewest);
  constexpr std::int64_t kMostDrawn = 4096;
  if (targets.ranks.empty() && !request.page.empty()) {
    for (std::int64_t ranks = fewest; ranks <= kMostDrawn; ranks *= 2)
      targets.ranks.push_back(ranks);
  }
  if (targets.ranks.empty()) throw UsageError("-a ranks=... is missing: the ranks to predict for");
  return targets;
}

}  // namespace scalemark::cli
