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

std::string StepComponent::reached() const {
  const double longer = roofline.longer();
  if (without_roofline > 0 || estimated > 0 || !(longer > 0) || !(seconds > 0)) return {};
  return fmt::format("{:.0f} % of the {}", 100 * longer / seconds,
                     roofline.memory > roofline.products ? "memory bandwidth" : "rate of products");
}

namespace {

void add_roofline(const StepTerm& term, StepComponent& into) {
  if (!term.roofline) {
    ++into.without_roofline;
    return;
  }
  into.roofline.products += term.count * term.roofline->products;
  into.roofline.memory += term.count * term.roofline->memory;
}

/// Adds what the GPU waits for, if it does.
void add_launches(const std::vector<StepTerm>& terms, StepExplanation& step) {
  StepComponent launches{.name = kLaunches, .source = "issue_time", .enqueued = true};
  for (const StepTerm& term : terms) {
    if (!term.issue || !term.seconds) continue;
    launches.count += term.count;
    launches.count_known(term.from);
    PhaseTimes& phase = step.phases.at(static_cast<std::size_t>(term.phase));
    phase.issued += term.count * *term.issue;
    phase.on_gpu += term.count * *term.seconds;
  }
  launches.seconds = exposed_launches(step.phases);
  if (launches.seconds == 0) return;
  step.explained += launches.seconds;
  step.components.push_back(launches);
}

}  // namespace

double exposed_launches(const std::array<PhaseTimes, kStepPhases.size()>& phases) {
  double host = 0, gpu = 0, busy = 0;
  for (const PhaseTimes& phase : phases) {
    host += phase.issued;
    gpu = std::max(gpu + phase.on_gpu, host);
    busy += phase.on_gpu;
  }
  return gpu - busy;
}

PhaseTimes StepExplanation::enqueued() const {
  PhaseTimes all;
  for (const PhaseTimes& phase : phases) {
    all.issued += phase.issued;
    all.on_gpu += phase.on_gpu;
  }
  return all;
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
    into->count_known(term.from);
    into->enqueued = into->enqueued || term.issue.has_value();
    add_roofline(term, *into);
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

double factor_elsewhere(const StepExplanation& here, const StepExplanation& there,
                        const std::string& without) {
  const auto others = [&](const StepExplanation& step) {
    const StepComponent* const left_out = step.find(without);
    return step.explained - (left_out == nullptr ? 0 : left_out->seconds);
  };
  return others(there) / others(here);
}

namespace {

/// What takes most of the step without this component.
std::string next_limit(const StepExplanation& step, const StepComponent& gone) {
  const auto next = std::ranges::find_if(step.components,
                                         [&](const StepComponent& one) { return &one != &gone; });
  if (next == step.components.end() || !(next->seconds > 0)) return {};
  // The parts may take longer than the step.
  const double left = std::max(step.measured, step.explained) - gone.seconds;
  return fmt::format(" Without them, {} would take {:.0f} % of what is left.", next->name,
                     100 * next->seconds / left);
}

/// Component of the launches if they take longer than anything but what they enqueue, else null.
const StepComponent* bounding_launches(const StepExplanation& step) {
  const StepComponent* const launches = step.find(kLaunches);
  const double issued = step.enqueued().issued;
  const bool is_longest = std::ranges::all_of(step.components, [&](const StepComponent& one) {
    return one.enqueued || one.seconds <= issued;
  });
  return is_longest ? launches : nullptr;
}

}  // namespace

std::string what_bounds(const StepExplanation& step) {
  if (!step.is_complete()) return "Rows are missing, so that nothing is said of what bounds it.";
  const auto percent = [&](double seconds) {
    return fmt::format("{:.0f} %", 100 * step.share(seconds));
  };
  const StepComponent& first = step.components.front();
  const StepComponent* const launches = bounding_launches(step);
  const PhaseTimes enqueued = step.enqueued();
  if (std::abs(step.rest()) > (launches != nullptr ? enqueued.issued : first.seconds))
    return fmt::format("More is not explained ({}) than any component takes.",
                       percent(step.rest()));
  if (launches != nullptr)
    return fmt::format("Bound by: launches. The host enqueues for {} what takes the GPU {}.{}",
                       percent(enqueued.issued), percent(enqueued.on_gpu),
                       next_limit(step, *launches));
  const std::string reached = first.reached();
  return fmt::format("Bound by: {} ({}{}).{}", first.name, percent(first.seconds),
                     reached.empty() ? "" : ", at " + reached, next_limit(step, first));
}

}  // namespace scalemark::predict
