// SPDX-License-Identifier: Apache-2.0
// Golden topic "quant": trainings of small models with NF4 bases, and with fake quantisation.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/golden/golden_quant.hpp"
#include "suites/llm/quant/qat.hpp"
#include "suites/llm/quant/qlora.hpp"

namespace scalemark::llm {
namespace {

/// Different rounding flips codes: the first steps agree closely, later ones drift.
struct Drift {
  std::size_t close_steps;
  double loss, late_loss, norm, late_norm;
};
constexpr Drift kQloraFp64{100, 1e-9, 1e-9, 1e-9, 1e-9}, kQloraFp32{2, 1e-4, 2e-2, 1e-3, 5e-2},
    kQat{1, 2e-3, 0.05, 0.01, 0.1};
/// Of logits and gradients of a QAT model, relative to their mean magnitude.
constexpr double kQatSums = 2e-3, kQatEdges = 0.1;

GoldenModel read_model(const golden::Field& part, const QuantContext& context) {
  const LlamaConfig config = read_config(part["config"]);
  const torch::Tensor tokens_bs =
      read_tokens(part["tokens"], config, context.filling.seed, &context.report);
  return {context.file, part, tokens_bs, read_labels(part["labels"], config, tokens_bs),
          context.options.device};
}

void check_names(const golden::Field& want, const std::vector<std::string>& got,
                 const QuantContext& context) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < want.size(); ++i) names.push_back(want[i].text());
  want.note();
  context.report.exact(want.path(), names == got,
                       fmt::format("file {}, this build {} names", names.size(), got.size()));
}

/// Values step by step, each to the tolerance of its step.
void check_steps(const golden::Field& want, const std::vector<double>& got, std::size_t close_steps,
                 double close, double late, const QuantContext& context) {
  const std::vector<double> values = want.numbers();
  if (values.size() != got.size())
    return context.report.exact(want.path(), false, fmt::format("{} steps", got.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double tolerance = i < close_steps ? close : late;
    context.report.near(fmt::format("{}[{}]", want.path(), i), got[i], values[i],
                        tolerance * std::max(1.0, std::abs(values[i])));
  }
}

void check_curves(const golden::Field& part, const Precision& precision, const Training& training,
                  const Drift& drift, const QuantContext& context) {
  check_steps(part["losses_" + precision.name], training.losses, drift.close_steps, drift.loss,
              drift.late_loss, context);
  check_steps(part["gradient_norms_" + precision.name], training.gradient_norms, drift.close_steps,
              drift.norm, drift.late_norm, context);
}

Llama qlora_model(const GoldenModel& golden, const Precision& precision, const LoraConfig& lora) {
  Llama model = golden.base(precision);
  quantise_base(*model);
  add_lora(*model, lora);
  golden.fill_adapters(model);
  return model;
}

void check_qlora_after(const golden::Field& part, const Training& fp64, const Training& fp32,
                       const QuantContext& context) {
  const std::string after = fmt::format("adapters_after_{}_steps", fp64.losses.size());
  const golden::Field digest = part[after + "_fp64"],
                      error = part[after + "_fp32_relative_l2_error"];
  const nlohmann::json& wanted = digest.digest();
  error.note();
  if (context.wants(kFp64, digest.path()))
    context.report.digest(digest.path(), to_doubles(fp64.after), wanted, 1e-9);
  if (context.wants(kFp32, error.path()))
    check_error(error, relative_l2_error(fp32.after, fp64.after), context);
}

/// The first training of `part`, with the rules of its library.
struct QatRun {
  std::vector<std::string> swapped;
  Training training;
};
QatRun train_qat(const GoldenModel& golden, const golden::Field& part,
                 const FakeQuantOptions& rules, std::size_t steps) {
  Llama model = golden.base(kFp32);
  QatRun run;
  run.swapped = prepare_qat(*model, rules);
  run.training =
      train(model, golden, read_optimizer(part["optimizer"]), static_cast<std::int64_t>(steps));
  return run;
}

void check_qat_forward(const golden::Field& part, const GoldenModel& golden,
                       const FakeQuantOptions& rules, const QuantContext& context) {
  const torch::NoGradGuard no_grad;
  Llama plain = golden.base(kFp32), model = golden.base(kFp32);
  prepare_qat(*model, rules);
  const torch::Tensor logits = model(golden.tokens_bs()), base = plain(golden.tokens_bs());
  context.report.digest(part["logits_fp32"].path(), to_doubles(logits),
                        part["logits_fp32"].digest(), kQatSums,
                        kQatEdges * base.abs().mean().item<double>());
  context.number(part["logits_relative_l2_difference_from_plain"],
                 relative_l2_error({{"", logits}}, {{"", base}}), 5e-3);
  switch_fake_quant(*model, false);
  const golden::Field off = part["max_difference_from_plain_when_disabled"];
  context.report.near(off.path(), (model(golden.tokens_bs()) - base).abs().max().item<double>(),
                      off.number(), 0);
}

/// How far single elements of a gradient may be off: a tenth of its mean, or six times the
/// library's own change (relative, L2 norm) of an element that has a gradient, as embeddings of
/// tokens that do not occur have none. Six: half as much again as the library's change, times four
/// standard deviations.
double edge_tolerance(const torch::Tensor& gradient, double library_error) {
  const double mean = gradient.abs().mean().item<double>();
  const double count = gradient.count_nonzero().item<double>();
  const double rms = count > 0 ? gradient.norm().item<double>() / std::sqrt(count) : 0;
  return std::max(kQatEdges * mean, 6 * library_error * rms);
}

void check_qat_gradients(const golden::Field& want, const NamedTensors& got,
                         const QuantContext& context) {
  for (const std::string& name : want.keys()) {
    const golden::Field field = want[name];
    const nlohmann::json& digest = field.digest();
    const char* const stated = "relative_l2_change_after_perturbation";
    const double library_error = field.has(stated) ? field[stated].number() : 0;
    const auto found = std::ranges::find(got, name, &NamedTensors::value_type::first);
    if (found == got.end()) {
      context.report.exact(field.path(), false, "the model trains no such parameter");
      continue;
    }
    context.report.digest(field.path(), to_doubles(found->second), digest,
                          golden::fp32_tolerance(kQatSums, library_error),
                          edge_tolerance(found->second, library_error));
  }
}

}  // namespace

void check_qlora_model(const golden::Field& part, const QuantContext& context) {
  const GoldenModel golden = read_model(part, context);
  const LoraConfig lora = read_lora(part, golden.config());
  const AdamWOptions optimizer = read_optimizer(part["optimizer"]);
  const auto steps = static_cast<std::int64_t>(part["losses_fp64"].size());
  std::vector<Training> trainings;
  for (const Precision* precision : {&kFp64, &kFp32}) {
    Llama model = qlora_model(golden, *precision, lora);
    if (trainings.empty()) {
      std::vector<std::string> quantised;
      for (const NamedLinear& linear : find_linears(*model, layer_linears()))
        quantised.push_back(linear.path + ".weight");
      check_names(part["quantised_tensors"], quantised, context);
      std::int64_t count = 0;
      for (const torch::Tensor& parameter : trainable_parameters(*model))
        count += parameter.numel();
      context.integer(part["trainable_parameters"], count);
    }
    const golden::Field logits = part["logits_" + precision->name];
    const nlohmann::json& digest = logits.digest();
    const bool wanted = context.wants(*precision, logits.path());
    if (wanted) {
      const torch::NoGradGuard no_grad;
      context.report.digest(logits.path(), to_doubles(model(golden.tokens_bs())), digest,
                            precision->logits, 10 * precision->logits);
    }
    trainings.push_back(train(model, golden, optimizer, steps));
    const Drift& drift = precision == &kFp64 ? kQloraFp64 : kQloraFp32;
    if (wanted) {
      check_curves(part, *precision, trainings.back(), drift, context);
    } else {
      part["losses_" + precision->name].note();
      part["gradient_norms_" + precision->name].note();
    }
  }
  // The digests are fp64's, the fp32 weights differ from those in single codes.
  check_gradients(part["gradients_step0"], trainings[0].gradients[0], trainings[1].gradients[0],
                  context, /*fp32_edges=*/10);
  check_qlora_after(part, trainings[0], trainings[1], context);
}

void check_qat_model(const golden::Field& list, const QuantContext& context) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const golden::Field part = list[i];
    if (!context.wants(kFp32, part.path())) {
      part.note();
      continue;
    }
    // How much flipped codes change the library's own losses, which justifies the tolerances.
    const char* const flips = "losses_difference_after_1e-7_perturbation_of_embedding";
    if (part.has(flips)) part[flips].note();
    const GoldenModel golden = read_model(part, context);
    const FakeQuantOptions rules{.group = part["group_size"].integer()};
    check_qat_forward(part, golden, rules, context);
    const QatRun run = train_qat(golden, part, rules, part["losses_fp32"].size());
    check_names(part["swapped"], run.swapped, context);
    check_curves(part, kFp32, run.training, kQat, context);
    check_qat_gradients(part["gradients_step0"], run.training.gradients[0], context);
  }
}

void check_older_qat_model(const golden::Field& want, const golden::Field& model,
                           const QuantContext& context) {
  if (!context.wants(kFp32, want.path())) return want.note();
  const FakeQuantOptions rules{want["group_size"].integer(), /*clip_gradient=*/false,
                               /*floor_of_type=*/false};
  const QatRun run =
      train_qat(read_model(model, context), model, rules, want["losses_fp32"].size());
  check_curves(want, kFp32, run.training, kQat, context);
}

}  // namespace scalemark::llm
