// SPDX-License-Identifier: Apache-2.0
// Golden topic "llama": full and LoRA training, gradient accumulation, packing.
#include <algorithm>

#include <fmt/format.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/golden/golden_checks.hpp"
#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {
namespace {

const torch::Tensor* find(const NamedTensors& tensors, const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &NamedTensors::value_type::first);
  return found == tensors.end() ? nullptr : &found->second;
}

/// Losses, norms and final parameters of a training in both precisions; `after` names the field of
/// the final parameters.
void check_run(const golden::Field& part, const std::string& after, const Training& fp64,
               const Training& fp32, const GoldenContext& context) {
  const auto check_curves = [&](const Precision& precision, const Training& training) {
    const golden::Field losses = part["losses_" + precision.name],
                        norms = part["gradient_norms_" + precision.name];
    losses.note();
    norms.note();
    if (!context.wants(precision, losses.path())) return;
    context.numbers(losses, training.losses, precision.training_loss);
    context.numbers(norms, training.gradient_norms, precision.gradient);
  };
  check_curves(kFp64, fp64);
  check_curves(kFp32, fp32);
  check_gradients(part["gradients_step0"], fp64.gradients[0], fp32.gradients[0], context);
  if (part.has("gradients_step1") && fp64.gradients.size() > 1) {
    check_gradients(part["gradients_step1"], fp64.gradients[1], fp32.gradients[1], context);
  }
  const golden::Field digest = part[after + "_fp64"],
                      error = part[after + "_fp32_relative_l2_error"];
  digest.note();
  error.note();
  if (context.wants(kFp64, digest.path())) {
    context.report.digest(digest.path(), to_doubles(fp64.after), digest.digest(),
                          kFp64.training_loss);
  }
  if (context.wants(kFp32, error.path()))
    check_error(error, relative_l2_error(fp32.after, fp64.after), context);
}

/// Output with fresh adapters minus the base's: exactly zero, and equal bit by bit with adapters
/// off.
void check_step0(const golden::Field& part, const Precision& precision, Llama& model,
                 const GoldenContext& context) {
  const golden::Field want = part["step0_max_difference_from_base_" + precision.name];
  want.note();
  if (!context.wants(precision, want.path())) return;
  const torch::NoGradGuard no_grad;
  Llama base = context.model.base(precision);
  const torch::Tensor expected = base(context.model.tokens_bs());
  const torch::Tensor got = model(context.model.tokens_bs());
  context.report.near(want.path(), (got - expected).abs().max().item<double>(), want.number(), 0);
  const LoraOff off(*model);
  context.report.exact(want.path() + ".adapters_off",
                       torch::equal(model(context.model.tokens_bs()), expected),
                       "output with adapters switched off differs from the base model");
}

void check_lora_b_filled(const golden::Field& part, const LoraConfig& lora,
                         const std::vector<FilledTensor>& adapters, const GoldenContext& context) {
  std::vector<NamedTensors> gradients_of;
  for (const Precision& precision : {kFp64, kFp32}) {
    Llama model = context.model.with_lora(precision, lora, adapters, /*fill_b=*/true);
    const torch::Tensor logits = model(context.model.tokens_bs());
    const torch::Tensor loss = loss_mean(logits, context.model.shifted_bs());
    loss.backward();
    gradients_of.push_back(gradients(model));
    const golden::Field want_loss = part["loss_" + precision.name],
                        want_logits = part["logits_" + precision.name];
    want_loss.note();
    const nlohmann::json& digest = want_logits.digest();
    if (!context.wants(precision, want_loss.path())) continue;
    context.number(want_loss, loss.item<double>(), precision.loss);
    context.report.digest(want_logits.path(), to_doubles(logits), digest, precision.logits,
                          precision.logits);
  }
  check_gradients(part["gradients"], gradients_of[0], gradients_of[1], context);
}

}  // namespace

LoraConfig read_lora(const golden::Field& part, const LlamaConfig& config) {
  LoraConfig lora;
  lora.rank = part["rank"].integer();
  lora.alpha = part["alpha"].number();
  if (lora.rank < 1 || lora.rank > config.dim) {
    throw InputError(
        fmt::format("field '{}.rank' is {}; allowed: 1 to {}", part.path(), lora.rank, config.dim));
  }
  if (!part.has("modules")) return lora;
  lora.modules.clear();
  const golden::Field modules = part["modules"];
  for (std::size_t i = 0; i < modules.size(); ++i) lora.modules.push_back(modules[i].text());
  return lora;
}

void check_error(const golden::Field& library_error, double error, const GoldenChecks& checks) {
  checks.report.near(library_error.path(), error, 0,
                     golden::fp32_tolerance(kFp32.gradient, library_error.number()));
}

void check_gradients(const golden::Field& want, const NamedTensors& fp64, const NamedTensors& fp32,
                     const GoldenChecks& checks, double fp32_edges) {
  const bool check_fp64 = checks.wants(kFp64, want.path()),
             check_fp32 = checks.wants(kFp32, want.path());
  for (const std::string& name : want.keys()) {
    const golden::Field field = want[name];
    const torch::Tensor *const exact = find(fp64, name), *const rounded = find(fp32, name);
    const nlohmann::json& digest = field.digest();
    if (exact == nullptr || rounded == nullptr) {
      checks.report.exact(field.path(), false, "the model trains no such parameter");
      continue;
    }
    if (check_fp64) checks.report.digest(field.path(), to_doubles(*exact), digest, kFp64.gradient);
    const char* const stated = "fp32_relative_l2_error";
    const double library_error = field.has(stated) ? field[stated].number() : 0;
    if (!check_fp32) continue;
    // The digest is fp64's: an fp32 result is as far from it as the library's own is. All of that
    // error may be in one value.
    const double edges =
        std::max(fp32_edges * kFp32.gradient * rounded->abs().mean().item<double>(),
                 golden::fp32_tolerance(0, library_error) * l2_norm({{name, *exact}}));
    checks.report.digest(field.path() + ".fp32", to_doubles(*rounded), digest,
                         golden::fp32_tolerance(kFp32.gradient, library_error), edges);
    if (!field.has(stated)) continue;
    check_error(field[stated], relative_l2_error({{name, *rounded}}, {{name, *exact}}), checks);
  }
}

void check_full_fine_tuning(const golden::Field& part, const GoldenContext& context) {
  const AdamWOptions optimizer = read_optimizer(part["optimizer"]);
  const std::int64_t steps = part["steps"].integer();
  Llama fp64 = context.model.base(kFp64), fp32 = context.model.base(kFp32);
  check_run(part, "parameters_after", train(fp64, context.model, optimizer, steps),
            train(fp32, context.model, optimizer, steps), context);
}

void check_lora(const golden::Field& part, const GoldenContext& context) {
  const LoraConfig lora = read_lora(part, context.model.config());
  const std::vector<FilledTensor> adapters = read_tensors(part["adapters"]);
  Llama fp64 = context.model.with_lora(kFp64, lora, adapters, /*fill_b=*/false);
  Llama fp32 = context.model.with_lora(kFp32, lora, adapters, /*fill_b=*/false);
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : trainable_parameters(*fp64)) count += parameter.numel();
  context.integer(part["trainable_parameters"], count);
  context.integer(part["total_parameters"], count + count_parameters(context.model.config()).total);
  context.report.exact(part.path() + ".adapters",
                       adapters.size() == trainable_parameters(*fp64).size(),
                       fmt::format("file {}, this build {} tensors", adapters.size(),
                                   trainable_parameters(*fp64).size()));
  check_step0(part, kFp64, fp64, context);
  check_step0(part, kFp32, fp32, context);

  const AdamWOptions optimizer = read_optimizer(part["optimizer"]);
  const auto steps = static_cast<std::int64_t>(part["losses_fp64"].size());
  const Training run64 = train(fp64, context.model, optimizer, steps);
  const Training run32 = train(fp32, context.model, optimizer, steps);
  check_run(part, fmt::format("adapters_after_{}_steps", steps), run64, run32, context);
  double largest = 0;
  for (const Training* run : {&run64, &run32}) {
    for (const auto& [name, gradient] : run->gradients[0]) {
      if (name.ends_with("lora_a.weight"))
        largest = std::max(largest, gradient.abs().max().item<double>());
    }
  }
  part["lora_a_gradients_step0"].note();
  context.report.near(part["lora_a_gradients_step0"].path(), largest, 0, 0);
  if (part.has("lora_b_filled"))
    check_lora_b_filled(part["lora_b_filled"], lora, adapters, context);
}

void check_accumulation(const golden::Field& part, const golden::Field& lora_part,
                        const GoldenContext& context) {
  const LoraConfig lora = read_lora(lora_part, context.model.config());
  const std::vector<FilledTensor> adapters = read_tensors(lora_part["adapters"]);
  if (const std::string rule = part["micro_batches"].text(); rule != "one row each") {
    throw InputError(
        fmt::format("field '{}.micro_batches' is '{}'; known: one row each", part.path(), rule));
  }
  Llama model = context.model.with_lora(kFp64, lora, adapters, /*fill_b=*/false);
  std::vector<std::int64_t> counts;
  std::int64_t total = 0;
  for (std::int64_t row = 0; row < context.model.tokens_bs().size(0); ++row) {
    const torch::Tensor labels = context.model.shifted_bs().narrow(0, row, 1);
    loss_sum(model(context.model.tokens_bs().narrow(0, row, 1)), labels).backward();
    counts.push_back(count_labels(labels));
    total += counts.back();
  }
  context.report.exact(part["label_counts"].path(), counts == part["label_counts"].integers(),
                       "other label counts");
  const auto lora_b_gradients = [](Llama& of, double divisor) {
    NamedTensors result;
    for (auto& [name, gradient] : gradients(of)) {
      if (name.ends_with("lora_b.weight")) result.emplace_back(name, gradient / divisor);
    }
    return result;
  };
  const NamedTensors accumulated = lora_b_gradients(model, static_cast<double>(total));

  Llama whole = context.model.with_lora(kFp64, lora, adapters, /*fill_b=*/false);
  loss_mean(whole(context.model.tokens_bs()), context.model.shifted_bs()).backward();
  const golden::Field want = part["lora_b_gradients_fp64"],
                      difference = part["relative_l2_difference_from_one_batch"];
  const nlohmann::json& digest = want.digest();
  difference.note();
  if (!context.wants(kFp64, want.path())) return;
  context.report.digest(want.path(), to_doubles(accumulated), digest, kFp64.gradient);
  context.report.near(difference.path(), relative_l2_error(accumulated, lora_b_gradients(whole, 1)),
                      0, kFp64.gradient);
}

void check_packed(const golden::Field& part, const GoldenContext& context) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor tokens = read_tokens(part["tokens"], context.model.config(),
                                           context.model.filling().seed, &context.report)
                                   .to(context.model.tokens_bs().device());
  const std::vector<std::int64_t> lengths = part["sequence_lengths"].integers();
  std::int64_t sum = 0;
  for (const std::int64_t length : lengths) {
    if (length < 1 || length > tokens.size(1))
      throw InputError(fmt::format("field '{}.sequence_lengths' holds {}", part.path(), length));
    sum += length;
  }
  if (sum != tokens.size(1) || tokens.size(0) != 1) {
    throw InputError(fmt::format("field '{}.sequence_lengths' adds up to {}; the row has {} tokens",
                                 part.path(), sum, tokens.size(1)));
  }
  Llama model = context.model.base(kFp64);
  const Positions positions = model->packed_positions(make_packing({lengths}).to(tokens.device()));
  const std::vector<std::int64_t> places = part["positions"].integers();
  const bool in_range =
      std::ranges::all_of(places, [&](std::int64_t place) { return place >= 0 && place < sum; });
  const torch::Tensor table = model->positions(sum).rotation;
  context.report.exact(
      part["positions"].path(),
      in_range && torch::equal(positions.rotation[0],
                               table.index({torch::tensor(places).to(table.device())})),
      "positions do not restart as in the file");
  context.integer(part["mask_true_entries"], (positions.mask == 0).sum().item<std::int64_t>());

  const torch::Tensor packed = model->forward_at(tokens, positions);
  std::vector<torch::Tensor> separate;
  std::int64_t start = 0;
  for (const std::int64_t length : lengths) {
    separate.push_back(model(tokens.narrow(1, start, length)));
    start += length;
  }
  const golden::Field want = part["logits_fp64"],
                      difference = part["max_difference_from_separate_sequences"];
  const nlohmann::json& digest = want.digest();
  difference.note();
  if (!context.wants(kFp64, want.path())) return;
  context.report.digest(want.path(), to_doubles(packed), digest, kFp64.logits, kFp64.logits);
  context.report.near(difference.path(),
                      (packed - torch::cat(separate, 1)).abs().max().item<double>(), 0,
                      kFp64.logits);
}

}  // namespace scalemark::llm
