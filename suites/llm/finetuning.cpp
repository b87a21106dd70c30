// SPDX-License-Identifier: Apache-2.0
// The course of a fine-tuning.
#include "suites/llm/finetuning.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/torch/step_records.hpp"

namespace scalemark::llm {
namespace {

void note(History& history, const Course& course, const std::vector<Examples>& batches) {
  double positions = 0, tokens = 0, labels = 0, flops = 0;
  for (const Examples& batch : batches) {
    positions += static_cast<double>(batch.positions);
    flops += static_cast<double>(batch.positions) * course.flops_a_token(batch.tokens_bs.size(1));
    history.widest = std::max(history.widest, batch.tokens_bs.size(1));
    tokens += static_cast<double>(batch.tokens);
    labels += static_cast<double>(batch.labels);
  }
  history.positions.push_back(positions);
  history.tokens.push_back(tokens);
  history.labels.push_back(labels);
  history.flops.push_back(flops);
}

}  // namespace

std::int64_t total_steps(const Course& course, std::int64_t batches) {
  const std::int64_t all = course.epochs * (batches / course.accumulation);
  return course.steps > 0 ? std::min(course.steps, all) : all;
}

History run_course(Case& c, const Course& course, TokenLoader& loader, Finetuner& finetuner) {
  History history;
  const Objective& objective = finetuner.objective();
  history.terms = objective.terms();
  history.observed.resize(history.terms.observed.size());
  std::vector<double> all_counted;  // of each step, over the ranks
  const std::int64_t steps = total_steps(course, loader.batches()),
                     an_epoch = loader.batches() / course.accumulation;
  for (std::int64_t step = 0; step < steps; ++step) {
    if (step % an_epoch == 0) {
      c.phase(fmt::format("train epoch {}", step / an_epoch + 1));
      loader.start(static_cast<std::uint64_t>(step / an_epoch));
    }
    c.tick();
    const std::uint64_t asked = now_ns();
    std::vector<Examples> batches;
    std::int64_t counted = 0;
    for (std::int64_t i = 0; i < course.accumulation; ++i) {
      batches.push_back(loader.next());
      counted += objective.count(batches.back());
    }
    const std::uint64_t arrived = now_ns();
    counted = c.ranks().sum(counted);
    const StepResult result = finetuner.step(batches, counted);
    const std::uint64_t done = now_ns();
    history.time.push_back(done - asked);
    history.wait.push_back(arrived - asked);
    history.communication.push_back(result.communication);
    history.gradient_norm.push_back(result.gradient_norm);
    history.loss.push_back(result.loss);
    for (std::size_t i = 0; i < result.observed.size(); ++i)
      history.observed[i].push_back(result.observed[i]);
    note(history, course, batches);
    if (counted == 0) ++history.steps_without_labels;
    all_counted.push_back(static_cast<double>(counted));
  }
  // Outside the steps: this rank's sums become means over all ranks.
  const auto to_means = [&](std::vector<double>& sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = torch_support::sum_over_ranks(c.ranks(), sums[i]) / std::max(all_counted[i], 1.0);
    }
  };
  to_means(history.loss);
  for (std::vector<double>& sums : history.observed) to_means(sums);
  return history;
}

}  // namespace scalemark::llm
