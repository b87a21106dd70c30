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

void StepComponent::count_known(TimeSource from) {
  switch (from) {
    case TimeSource::row:
      ++measured;
      break;
    case TimeSource::interpolation:
      ++interpolated;
      break;
    case TimeSource::roofline:
      ++estimated;
      break;
  }
}

namespace {

/// Adds what the GPU waits for, if it does.
void add_launches(const std::vector<StepTerm>& terms, StepExplanation& step) {
  StepComponent launches{.name = kLaunches, .source = "issue_time"};
  for (const StepTerm& term : terms) {
    if (!term.issue || !term.seconds) continue;
    launches.count += term.count;
    launches.count_known(term.from);
    step.issued += term.count * *term.issue;
    step.on_gpu += term.count * *term.seconds;
  }
  launches.seconds = step.exposed_launches();
  if (launches.seconds == 0) return;
  step.explained += launches.seconds;
  step.components.push_back(launches);
}

}  // namespace

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
    into->count_known(term.from);
    into->seconds += term.count * *term.seconds;
    step.explained += term.count * *term.seconds;
  }
  add_launches(terms, step);
  std::ranges::stable_sort(step.components, std::greater(), &StepComponent::seconds);
  return step;
}

const StepComponent* StepExplanation::find(const std::string& name) const {
  const auto found = std::ranges::find(components, name, &StepComponent::name);
  return found == components.end() ? nullptr : &*found;
}

double step_elsewhere(const StepExplanation& here, const StepExplanation& there) {
  return here.measured * there.explained / here.explained;
}

std::string what_bounds(const StepExplanation& step) {
  if (!step.is_complete()) return "Rows are missing, so that nothing is said of what bounds it.";
  const auto percent = [&](double seconds) {
    return fmt::format("{:.0f} %", 100 * step.share(seconds));
  };
  const auto next_after = [&](const StepComponent& gone) {
    const auto next = std::ranges::find_if(step.components,
                                           [&](const StepComponent& one) { return &one != &gone; });
    if (next == step.components.end()) return std::string();
    return fmt::format(" Without them, {} would take {:.0f} % of what is left.", next->name,
                       100 * next->seconds / (step.measured - gone.seconds));
  };
  const StepComponent& first = step.components.front();
  if (std::abs(step.rest()) > first.seconds)
    return fmt::format("More is not explained ({}) than any component takes.",
                       percent(step.rest()));
  const auto launches = std::ranges::find(step.components, kLaunches, &StepComponent::name);
  if (launches != step.components.end())
    return fmt::format("Bound by: launches. The host enqueues for {} what takes the GPU {}.{}",
                       percent(step.issued), percent(step.on_gpu), next_after(*launches));
  return fmt::format("Bound by: {} ({}).{}", first.name, percent(first.seconds), next_after(first));
}

}  // namespace scalemark::predict
