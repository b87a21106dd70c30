// SPDX-License-Identifier: Apache-2.0
// Golden topic "dpo": losses of given log-probabilities, and steps of a small model.
#include <algorithm>

#include <fmt/format.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/golden/fill.hpp"
#include "suites/llm/golden/golden_checks.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/llm/train/dpo.hpp"

namespace scalemark::llm {
namespace {

constexpr std::size_t kMaxDpoSteps = 100, kMaxRows = 1024;

/// Tolerances of log-probabilities and values computed from them.
double tolerance_of(const Precision& precision) { return precision.name == "fp64" ? 1e-11 : 1e-5; }

/// Compares in one precision; the fp32 results of given fp64 values are items of their own.
class Comparison {
 public:
  Comparison(const GoldenChecks& checks, const Precision& precision, std::string suffix)
      : checks_(checks), tolerance_(tolerance_of(precision)), suffix_(std::move(suffix)) {}

  void numbers(const golden::Field& want, const torch::Tensor& got) const {
    const std::vector<double> values = want.numbers();
    double size = 1;
    for (const double value : values) size = std::max(size, std::abs(value));
    checks_.report.all_near(want.path() + suffix_, to_doubles(got), values, tolerance_ * size);
  }
  void number(const golden::Field& want, double got) const {
    const double value = want.number();
    checks_.report.near(want.path() + suffix_, got, value,
                        tolerance_ * std::max(1.0, std::abs(value)));
  }

 private:
  const GoldenChecks& checks_;
  double tolerance_;
  std::string suffix_;
};

DpoOptions read_options(const golden::Field& part) {
  const DpoOptions options{part["beta"].number(), part["label_smoothing"].number()};
  if (!(options.beta > 0) || !(options.label_smoothing >= 0) || !(options.label_smoothing <= 0.5)) {
    throw InputError(
        fmt::format("field '{}': beta {} and label_smoothing {}; wanted: above 0, and 0 "
                    "to 0.5",
                    part.path(), options.beta, options.label_smoothing));
  }
  return options;
}

void check_case(const golden::Field& part, const LogProbabilities& policy,
                const LogProbabilities& reference, const Comparison& compare) {
  const LogProbabilities leaf{policy.chosen.detach().clone().requires_grad_(),
                              policy.rejected.detach().clone().requires_grad_()};
  const DpoLoss got = dpo_loss(leaf, reference, read_options(part));
  const torch::Tensor mean = got.losses.mean();
  mean.backward();
  compare.numbers(part["losses"], got.losses);
  compare.number(part["loss_mean"], mean.item<double>());
  compare.numbers(part["chosen_rewards"], got.chosen_rewards);
  compare.numbers(part["rejected_rewards"], got.rejected_rewards);
  compare.number(part["accuracy"], got.accuracy());
  compare.number(part["margin_mean"], got.margin());
  compare.numbers(part["gradient_policy_chosen"], leaf.chosen.grad());
  compare.numbers(part["gradient_policy_rejected"], leaf.rejected.grad());
}

void check_arrays(const golden::Field& part, const GoldenChecks& checks) {
  std::vector<torch::Tensor> given;
  for (const char* name :
       {"policy_chosen", "policy_rejected", "reference_chosen", "reference_rejected"}) {
    given.push_back(torch::tensor(part[name].numbers(), torch::kFloat64));
    if (given.back().numel() == 0 || given.back().sizes() != given.front().sizes())
      throw InputError(fmt::format("field '{}.{}' has another length", part.path(), name));
  }
  for (const Precision* precision : {&kFp64, &kFp32}) {
    const bool exact = precision == &kFp64;
    if (!checks.wants(*precision, part.path())) {
      if (exact) part["cases"].note();
      continue;
    }
    const auto at = [&](std::size_t i) {
      return given[i].to(torch::Device(checks.options.device), precision->type);
    };
    const Comparison compare(checks, *precision, exact ? "" : ".fp32");
    for (std::size_t i = 0; i < part["cases"].size(); ++i)
      check_case(part["cases"][i], {at(0), at(1)}, {at(2), at(3)}, compare);
  }
}

/// [2 * pairs, s] as it stands in the file.
torch::Tensor read_rows(const golden::Field& rows, const LlamaConfig& config) {
  std::vector<std::int64_t> ids;
  const std::size_t count = rows.size();
  const std::size_t width = count == 0 ? 0 : rows[0].size();
  bool good = count >= 2 && count % 2 == 0 && count <= kMaxRows && width >= 1 &&
              width <= static_cast<std::size_t>(config.max_seq_len);
  for (std::size_t i = 0; good && i < count; ++i) {
    for (const std::int64_t id : rows[i].integers()) {
      good = good && id >= 0 && id < config.vocab_size;
      ids.push_back(id);
    }
    good = good && ids.size() == (i + 1) * width;
  }
  if (!good) {
    throw InputError(fmt::format(
        "field '{}' must hold an even number of rows of one width up to {}, of ids below {}",
        rows.path(), config.max_seq_len, config.vocab_size));
  }
  return torch::tensor(ids).view({static_cast<std::int64_t>(count), -1});
}

/// Chosen answers from stream 3, rejected ones from stream 10 behind the chosen rows' prompts;
/// padding aside.
void check_rule(const golden::Field& part, const torch::Tensor& tokens_bs,
                const torch::Tensor& labels_bs, std::uint64_t seed, const LlamaConfig& config,
                const GoldenChecks& checks) {
  const golden::Field field = part["tokens_rule"];
  const std::string rule = field.text();
  if (rule !=
      "chosen: word mod (vocab - 1) + 1 from stream 3 over [pairs, width]; rejected answers "
      "likewise "
      "from stream 10; prompts shared") {
    checks.report.skip(field.path(), fmt::format("unknown rule '{}'; the ids are taken as they are",
                                                 text::printable(rule, 80)));
    return;
  }
  const std::int64_t padding = part["padding_id"].integer(), answers = tokens_bs.numel() / 2;
  const auto* const ids = tokens_bs.const_data_ptr<std::int64_t>();
  const auto* const labels = labels_bs.const_data_ptr<std::int64_t>();
  bool equal = true;
  for (std::int64_t i = 0; i < tokens_bs.numel(); ++i) {
    if (ids[i] == padding) continue;
    const std::uint64_t stream = i >= answers && labels[i] != kMasked ? 10 : 3;
    const std::uint64_t word = golden::word(seed, stream, static_cast<std::uint64_t>(i % answers));
    const auto others = static_cast<std::uint64_t>(config.vocab_size - 1);
    equal = equal && ids[i] == static_cast<std::int64_t>(word % others) + 1;
  }
  checks.report.exact(field.path(), equal, "the ids do not follow the rule");
}

void check_step(const golden::Field& want, const DpoLoss& got, const LogProbabilities& policy,
                const LogProbabilities& reference, const Comparison& compare) {
  compare.number(want["loss"], got.losses.mean().item<double>());
  compare.numbers(want["losses"], got.losses);
  compare.numbers(want["policy_chosen"], policy.chosen);
  compare.numbers(want["policy_rejected"], policy.rejected);
  compare.numbers(want["reference_chosen"], reference.chosen);
  compare.numbers(want["reference_rejected"], reference.rejected);
  compare.numbers(want["chosen_rewards"], got.chosen_rewards);
  compare.numbers(want["rejected_rewards"], got.rejected_rewards);
  compare.number(want["accuracy"], got.accuracy());
  compare.number(want["margin"], got.margin());
}

/// Trains through the states that `steps` lists; returns the gradients of the first.
NamedTensors check_steps(const golden::Field& part, const golden::Field& steps, Llama& model,
                         const DpoBatch& batch, const Precision& precision,
                         const GoldenChecks& checks) {
  const bool wanted = checks.wants(precision, steps.path());
  if (steps.size() < 1 || steps.size() > kMaxDpoSteps)
    throw InputError(fmt::format("field '{}' has {} steps; allowed: 1 to {}", steps.path(),
                                 steps.size(), kMaxDpoSteps));
  if (!wanted) steps.note();
  const DpoOptions options = read_options(part);
  AdamW optimizer(trainable_parameters(*model), read_optimizer(part["optimizer"]));
  const LogProbabilities reference = dpo_reference(model, batch);
  const Comparison compare(checks, precision, "");
  NamedTensors first;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    optimizer.zero_grad();
    const LogProbabilities policy = dpo_log_probabilities(model, batch);
    const DpoLoss got = dpo_loss(policy, reference, options);
    if (wanted) check_step(steps[i], got, policy, reference, compare);
    got.losses.mean().backward();
    if (i == 0) first = gradients(model);
    optimizer.step();
  }
  return first;
}

void check_model(const golden::Field& file, const golden::Field& part, const GoldenChecks& checks) {
  const LlamaConfig config = read_config(part["config"]);
  const torch::Tensor tokens_bs = read_rows(part["tokens"], config),
                      labels_bs = read_labels(part["labels"], config, tokens_bs);
  const std::int64_t padding = part["padding_id"].integer(), pairs = tokens_bs.size(0) / 2;
  if (padding < 0 || padding >= config.vocab_size)
    throw InputError(fmt::format("field '{}.padding_id' is {}; allowed: 0 to {}", part.path(),
                                 padding, config.vocab_size - 1));
  const GoldenModel golden(file, part, tokens_bs, labels_bs, checks.options.device);
  check_rule(part, tokens_bs, labels_bs, golden.filling().seed, config, checks);
  const auto half = [&](const torch::Tensor& rows, std::int64_t which) {
    return rows.narrow(0, which * pairs, pairs).to(golden.tokens_bs().device());
  };
  const DpoBatch batch = make_dpo_batch(half(tokens_bs, 0), half(labels_bs, 0), half(tokens_bs, 1),
                                        half(labels_bs, 1), padding);
  const LoraConfig lora = read_lora(part, config);
  std::vector<NamedTensors> first_gradients;
  for (const Precision* precision : {&kFp64, &kFp32}) {
    Llama model = golden.base(*precision);
    add_lora(*model, lora);
    golden.fill_adapters(model);
    first_gradients.push_back(
        check_steps(part, part["steps_" + precision->name], model, batch, *precision, checks));
  }
  check_gradients(part["lora_b_gradients_step0"], first_gradients[0], first_gradients[1], checks);
}

void check_dpo(const nlohmann::json& json, const golden::Options& options, golden::Report& report) {
  if (!can_check("dpo", options, report)) return;
  const OneThread one_thread;
  const golden::Field file(json);
  note_origin(file);
  file["seed"].note();
  file["gain"].note();
  const GoldenChecks checks{options, report};
  if (file.has("arrays")) check_arrays(file["arrays"], checks);
  if (file.has("model")) check_model(file, file["model"], checks);
  file.report_unknown(report);
}

[[maybe_unused]] const bool kDpoRegistered = golden::register_topic("dpo", check_dpo);

}  // namespace
}  // namespace scalemark::llm
