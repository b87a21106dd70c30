// SPDX-License-Identifier: Apache-2.0
// Sums of the parts of a step.
#include "common/predict/step_parts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace scalemark::predict {

bool StepExplanation::is_complete() const {
  return std::ranges::all_of(components, [](const StepComponent& one) { return one.missing == 0; });
}

StepExplanation explain_step(const std::vector<StepTerm>& terms, double measured) {
  StepExplanation step;
  step.measured = measured;
  for (const StepTerm& term : terms) {
    auto into = std::ranges::find(step.components, term.component, &StepComponent::name);
    if (into == step.components.end()) {
      step.components.push_back({.name = term.component, .source = term.source});
      into = step.components.end() - 1;
    }
    into->count += term.count;
    if (!term.seconds) {
      ++into->missing;
      continue;
    }
    ++(term.interpolated ? into->interpolated : into->measured);
    into->seconds += term.count * *term.seconds;
    step.explained += term.count * *term.seconds;
  }
  std::ranges::stable_sort(step.components, std::greater(), &StepComponent::seconds);
  return step;
}

std::string what_bounds(const StepExplanation& step) {
  if (!step.is_complete()) return "Rows are missing, so that nothing is said of what bounds it.";
  const auto percent = [&](double seconds) {
    return fmt::format("{:.0f} %", 100 * step.share(seconds));
  };
  const StepComponent& first = step.components.front();
  if (std::abs(step.rest()) > first.seconds)
    return fmt::format("More is not explained ({}) than any component takes.",
                       percent(step.rest()));
  std::string text = fmt::format("Bound by: {} ({}).", first.name, percent(first.seconds));
  if (step.components.size() > 1) {
    const StepComponent& next = step.components[1];
    text += fmt::format(" Without them, {} would take {:.0f} % of what is left.", next.name,
                        100 * next.seconds / (step.measured - first.seconds));
  }
  return text;
}

}  // namespace scalemark::predict
