// SPDX-License-Identifier: Apache-2.0
// Metrics of a fine-tuning.
#include "suites/llm/train/metrics.hpp"

#include <numeric>
#include <optional>
#include <string>

#include "common/torch/training/step_records.hpp"
#include "suites/llm/quant/qat.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/llm/train/workload.hpp"

namespace scalemark::llm {
namespace {

/// Rate of each step: amount / time, per second.
std::vector<double> per_second(const std::vector<double>& amounts,
                               const std::vector<std::uint64_t>& nanoseconds) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < amounts.size(); ++i)
    rates.push_back(amounts[i] / static_cast<double>(nanoseconds[i]) * 1e9);
  return rates;
}

/// Width of the rows of each step, the mean of its micro-batches.
std::vector<double> widths(const Case& c, const History& history) {
  const bool pairs = compares_answers(parse_method(c.text("method")));
  const auto rows =
      static_cast<double>(c.integer("batch") * c.integer("accumulation") * (pairs ? 2 : 1));
  std::vector<double> widths = history.positions;
  for (double& width : widths) width /= rows;
  return widths;
}

/// Records what a workload takes from the data: sizes of a step, each the mean of its
/// micro-batches.
void record_sizes(Case& c, const History& history, const std::vector<std::uint8_t>& warmup) {
  const auto tokens = [&](const char* name, RankReduce reduce, const std::vector<double>& values,
                          const std::string& formula) {
    c.record(name, "{token}", Better::none, MetricKind::count, reduce, values, formula, warmup);
  };
  tokens(kStepWidth, RankReduce::max, widths(c, history),
         "tokens of a row with padding, mean of the micro-batches");
  std::vector<double> labels = history.labels, lengths = history.pairs_of_tokens;
  for (double& count : labels) count /= static_cast<double>(c.integer("accumulation"));
  tokens(kStepLabels, RankReduce::mean, labels, "tokens in the loss, mean of the micro-batches");
  if (!c.flag("packed")) return;
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] /= history.positions[i];
  tokens(kStepSequence, RankReduce::mean, lengths,
         "sum of s^2 / sum of s over the sequences of s tokens in the packed rows");
}

/// Records the communication between ranks.
void record_communication(Case& c, const History& history,
                          const std::vector<std::uint8_t>& warmup) {
  std::vector<std::uint64_t> exposed;
  std::vector<double> gathered, reduced;
  for (const Communication& step : history.communication) {
    exposed.push_back(step.exposed);
    gathered.push_back(static_cast<double>(step.traffic.gathered_bytes));
    reduced.push_back(static_cast<double>(step.traffic.reduced_bytes));
  }
  if (c.text("parallel") != "single" && c.size() > 1 && c.text("device") == "cpu")
    c.record_durations("exposed_communication_time", exposed, RankReduce::max, warmup);
  if (c.text("parallel") != "fsdp") return;
  const auto bytes = [&](const std::string& name, const std::vector<double>& values,
                         const std::string& formula) {
    c.record(name, "By", Better::lower, MetricKind::count, RankReduce::max, values, formula);
  };
  bytes("gathered_bytes", gathered, "received by a rank: (ranks - 1) / ranks of each all-gather");
  bytes("reduced_bytes", reduced, "sent by a rank: (ranks - 1) / ranks of each reduce-scatter");
}

void record_observed(Case& c, const History& history) {
  for (std::size_t i = 0; i < history.observed.size(); ++i) {
    const std::string& name = history.terms.observed[i];
    c.record(name, "1", name.ends_with("_reward") ? Better::none : Better::higher,
             MetricKind::ratio, RankReduce::root,
             std::vector{torch_support::mean_of_last(history.observed[i])},
             "mean of the last 10 steps");
    c.record("step_" + name, "1", Better::none, MetricKind::ratio, RankReduce::root,
             history.observed[i], "mean over the " + history.terms.counted + " of all ranks");
  }
}

/// Records facts that depend on the method.
void record_method(Case& c, const Llama& model) {
  const Method method = parse_method(c.text("method"));
  const Recipe recipe = recipe_of(c.result().params);
  c.fact("learning_rate", recipe.adamw.learning_rate);
  c.fact("weight_decay", recipe.adamw.weight_decay);
  if (compares_answers(method)) c.fact("beta", recipe.dpo.beta);
  if (method == Method::qlora) {
    std::int64_t bytes = 0;
    for (const torch::Tensor& buffer : model->buffers())
      bytes += static_cast<std::int64_t>(buffer.nbytes());
    c.fact("nf4_bytes", bytes);
  }
  if (method == Method::qat) {
    std::int64_t maps = 0;
    for (const auto& module : model->modules())
      maps += module->as<FakeQuantProduct>() != nullptr ? 1 : 0;
    c.fact("fake_quantised_maps", maps);
    c.fact("quantisation_group", kQatGroup);
  }
}

/// 1 for each step in which no rank had anything to learn from.
std::vector<std::uint8_t> without_labels(const History& history) {
  std::vector<std::uint8_t> marks;
  for (const double counted : history.all_counted) marks.push_back(counted == 0 ? 1 : 0);
  return marks;
}

}  // namespace

void record_facts(Case& c, const Finetuner& finetuner, const LlamaConfig& config,
                  const History& history) {
  std::int64_t trained = 0, bytes = 0;
  for (const torch::Tensor& parameter : trainable_parameters(*finetuner.model())) {
    trained += parameter.numel();
    bytes += static_cast<std::int64_t>(parameter.nbytes());
  }
  c.fact(kVocabularyFact, config.vocab_size);
  c.fact("parameters", count_parameters(config).total);
  c.fact("trained_parameters", trained);
  c.fact("loaded_bytes", c.ranks().sum(history.loaded_bytes));
  if (c.text("parallel") == "ddp") c.fact("gradient_bytes", bytes);
  record_method(c, finetuner.model());
}

void record_finetuning(Case& c, const History& history) {
  const std::size_t steps = history.steps.time.size();
  const std::vector<std::uint8_t> warmup = torch_support::warmup_steps(c.policy(), steps);
  const std::uint64_t total = torch_support::sum(history.steps.time);
  const auto rate = [&](const std::string& name, const std::string& unit, RankReduce reduce,
                        const std::vector<double>& amounts, const std::string& formula) {
    c.record(name, unit, Better::higher, MetricKind::ratio, reduce,
             per_second(amounts, history.steps.time), formula, warmup);
  };
  const auto series = [&](const std::string& name, RankReduce reduce,
                          const std::vector<double>& values, const std::string& formula) {
    c.record(name, "1", Better::none, MetricKind::ratio, reduce, values, formula);
  };
  // The first four are columns of the printed table.
  torch_support::record_step_time(c, history.steps, warmup);
  torch_support::record_timeline(c, history.timeline, history.steps);
  c.recorder().invalid("step_time", without_labels(history));
  rate("tokens_per_second", "{token}/s", RankReduce::sum, history.tokens,
       "tokens without padding over all ranks / step_time");
  c.record("loss", "1", Better::lower, MetricKind::ratio, RankReduce::root,
           std::vector{torch_support::mean_of_last(history.loss)}, "mean of the last 10 steps");
  rate("achieved_flops", "flop/s", RankReduce::mean, history.flops,
       "positions * (" + flops_formula(parse_method(c.text("method"))) + ") / step_time, a rank");
  if (const std::optional<double> peak = c.peaks().flops(c.text("precision"))) {
    std::vector<double> parts = history.flops;
    for (double& flops : parts) flops /= *peak;
    rate("peak_fraction", "1", RankReduce::mean, parts, "achieved_flops / peak_flops");
  }
  rate("position_rate", "{token}/s", RankReduce::sum, history.positions,
       "tokens with padding over all ranks / step_time");
  rate("label_rate", "{token}/s", RankReduce::sum, history.labels,
       "tokens in the loss over all ranks / step_time");
  record_sizes(c, history, warmup);
  c.record_durations("loader_wait", history.steps.wait, RankReduce::max, warmup);
  record_communication(c, history, warmup);
  c.record_durations("total_time", std::vector{total}, RankReduce::max, {}, "all steps");
  c.record_durations("total_time_without_loading",
                     std::vector{total - torch_support::sum(history.steps.wait)}, RankReduce::max,
                     {}, "total_time - all of loader_wait");
  c.record_durations("mean_iteration_time", std::vector<std::uint64_t>{total / steps},
                     RankReduce::max);
  series("first_loss", RankReduce::root, {history.loss.front()}, "before the first update");
  series("step_loss", RankReduce::root, history.loss,
         history.terms.loss + " of each step's rows, mean over the " + history.terms.counted +
             " of all ranks");
  series("gradient_norm", RankReduce::root, history.gradient_norm,
         "l2 of the mean gradient over all " + history.terms.counted + ", before clipping");
  record_observed(c, history);
  c.fact("steps_without_labels", history.steps_without_labels);
  c.recorder().set_primary("step_time");
}

void record_energy(Case& c, const History& history, const std::optional<double>& joules) {
  const double mine = std::accumulate(history.tokens.begin(), history.tokens.end(), 0.0);
  torch_support::record_energy(c, joules, "token", torch_support::sum_over_ranks(c.ranks(), mine),
                               "all steps");
}

void record_memory(Case& c, torch::Device device, std::uint64_t predicted) {
  const double peak = torch_support::record_peak_memory(c, device);
  if (peak <= 0) return;
  c.record("memory_prediction_error", "1", Better::none, MetricKind::ratio, RankReduce::max,
           std::vector{static_cast<double>(predicted) / peak - 1},
           "memory predicted for the widest batch / peak_device_memory - 1");
}

}  // namespace scalemark::llm
