// SPDX-License-Identifier: Apache-2.0
// What the steps of trainings consist of, by the rows of their operations.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/units.hpp"
#include "common/html/drawing/bars.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxSteps = 24;

std::string share_text(const predict::StepExplanation& step, double seconds) {
  return fmt::format("{}, {:.1f} %", units::seconds(seconds, 4), 100 * step.share(seconds));
}

Bar component_bar(const predict::StepExplanation& step, const predict::StepComponent& one) {
  const std::size_t known = one.known();
  if (known == 0) return {one.name, 0, "rows are missing", one.source, 0};
  std::string hover = fmt::format("{:g} operations, from {}", one.count, one.source);
  if (one.interpolated > 0)
    hover += fmt::format(", {} of {} interpolated", one.interpolated, known);
  if (one.estimated > 0) hover += fmt::format(", {} of {} by a roofline", one.estimated, known);
  std::string text = share_text(step, one.seconds);
  if (one.missing > 0) text += fmt::format(", {} missing", text::counted(one.missing, "row"));
  return {one.name, one.seconds, std::move(text), std::move(hover), 0};
}

BarGroup step_bars(const ExplainedStep& one) {
  const predict::StepExplanation& step = one.step;
  BarGroup group{fmt::format("{}: {}", one.key, units::seconds(step.measured, 4)),
                 predict::what_bounds(step),
                 {}};
  for (const predict::StepComponent& component : step.components)
    group.bars.push_back(component_bar(step, component));
  group.bars.push_back({"not explained", step.rest(), share_text(step, step.rest()),
                        "the step less the sum of its parts", 1});
  return group;
}

}  // namespace

std::string explained_steps(std::span<const ExplainedStep> steps) {
  std::vector<BarGroup> groups;
  bool is_complete = true;
  for (const ExplainedStep& one : steps.first(std::min(steps.size(), kMaxSteps))) {
    groups.push_back(step_bars(one));
    is_complete = is_complete && one.step.is_complete();
  }
  std::string html =
      bar_figure("Parts of a step",
                 "medians of the rows of its operations, each as often as a step has it", groups);
  if (html.empty()) return {};
  if (steps.size() > kMaxSteps)
    html += note(fmt::format("The first {} of {} trainings.", kMaxSteps, steps.size()));
  if (!is_complete)
    html += note("scalemark show --explain FILE... prints the commands that measure missing rows.");
  return html;
}

}  // namespace scalemark::html
