// SPDX-License-Identifier: Apache-2.0
// Golden topic "llama": model, losses, training, LoRA, packing, rotary positions, schedule, sizes.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <torch/utils.h>

#include "common/base/text.hpp"
#include "suites/llm/golden/golden_checks.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/llm/model/rope.hpp"
#include "suites/llm/optim/schedule.hpp"

namespace scalemark::llm {
namespace {

void check_parameters(const golden::Field& file, const GoldenContext& context) {
  Llama model = context.model.base(kFp64);
  context.integer(file["parameter_count"], count_parameters(context.model.config()).total);
  std::string difference;
  std::size_t i = 0;
  for (const auto& item : model->named_parameters()) {
    if (item.key() != context.model.parameters()[i].name && difference.empty()) {
      difference = fmt::format("place {} is '{}', in the model '{}'", i,
                               context.model.parameters()[i].name, item.key());
    }
    ++i;
  }
  context.report.exact("parameters", difference.empty(), difference);

  const auto parameters = model->named_parameters();
  if (!file.has("filled_parameters")) return;
  const golden::Field filled = file["filled_parameters"];
  for (const std::string& name : filled.keys()) {
    const torch::Tensor* const parameter = parameters.find(name);
    if (parameter == nullptr) {
      context.report.exact(filled[name].path(), false, "the model has no such parameter");
    } else {
      context.report.digest(filled[name].path(), to_doubles(*parameter), filled[name].digest(),
                            1e-14, 0);
    }
  }
}

/// Logits [b, s, v] token by token, each from the cache of those before it.
torch::Tensor generated_logits(Llama& model, const torch::Tensor& tokens_bs) {
  KvCache cache(model->config(), tokens_bs.size(0), tokens_bs.size(1), model->options());
  std::vector<torch::Tensor> logits_bv;
  for (const torch::Tensor& tokens_b1 : tokens_bs.split(1, 1))
    logits_bv.push_back(model->head().ptr()->forward(model->hidden_after(tokens_b1, cache)));
  return torch::stack(logits_bv, 1);
}

void check_forward(const golden::Field& want, const Precision& precision,
                   const GoldenContext& context) {
  const torch::NoGradGuard no_grad;
  Llama model = context.model.base(precision);
  const torch::Tensor& shifted = context.model.shifted_bs();
  const torch::Tensor logits = model(context.model.tokens_bs());
  const std::vector<double> all = to_doubles(logits);
  const auto edge = [&](const char* name, bool first) {
    const auto count = std::min(want[name].numbers().size(), all.size());
    const auto length = static_cast<std::ptrdiff_t>(count);
    context.numbers(want[name],
                    first ? std::vector<double>(all.begin(), all.begin() + length)
                          : std::vector<double>(all.end() - length, all.end()),
                    precision.logits);
  };
  context.report.digest(want["logits"].path(), all, want["logits"].digest(), precision.logits,
                        precision.logits);
  context.report.digest(want["logits"].path() + " from the cache",
                        to_doubles(generated_logits(model, context.model.tokens_bs())),
                        want["logits"].digest(), precision.logits, precision.logits);
  edge("logits_first_token", true);
  edge("logits_last_token", false);

  context.number(want["loss_sum"], loss_sum(logits, shifted).item<double>(), precision.loss);
  context.integer(want["label_count"], count_labels(shifted));
  context.number(want["loss_mean"], loss_mean(logits, shifted).item<double>(), precision.loss);
  context.number(want["loss_chunked_8"], loss_mean(logits, shifted, 8).item<double>(),
                 precision.loss);
  const torch::Tensor all_labels = shift_labels(context.model.tokens_bs());
  context.number(want["loss_sum_all_labels"], loss_sum(logits, all_labels).item<double>(),
                 precision.loss);
  context.integer(want["label_count_all"], count_labels(all_labels));
  context.numbers(want["token_losses_row0"], to_doubles(token_losses(logits, shifted)[0]),
                  precision.loss);
  context.numbers(want["sequence_log_probability"],
                  to_doubles(sequence_log_probability(logits, shifted)), precision.loss);
}

/// The libraries compute 0 / 0 here; ours returns zero, with zero gradients.
void check_all_masked(const golden::Field& want, const GoldenContext& context) {
  Llama model = context.model.base(kFp64);
  const torch::Tensor masked = torch::full_like(context.model.shifted_bs(), kMasked);
  const torch::Tensor logits = model(context.model.tokens_bs());
  context.integer(want["label_count"], count_labels(masked));
  context.number(want["loss_sum"], loss_sum(logits, masked).item<double>(), kFp64.loss);
  want["library_mean"].note();
  const torch::Tensor loss = loss_mean(logits, masked);
  loss.backward();
  context.report.near(want.path() + ".defined_mean", loss.item<double>(), 0, 0);
  context.report.near(want.path() + ".gradient_norm", l2_norm(gradients(model)), 0, 0);
}

void check_base(const golden::Field& base, const GoldenContext& context) {
  for (const Precision& precision : {kFp64, kFp32}) {
    if (!base.has(precision.name)) continue;
    if (context.wants(precision, base[precision.name].path())) {
      check_forward(base[precision.name], precision, context);
    } else {
      base[precision.name].note();
    }
  }
  if (base.has("all_labels_masked")) check_all_masked(base["all_labels_masked"], context);
  if (base.has("full_fine_tuning")) check_full_fine_tuning(base["full_fine_tuning"], context);
}

template <typename Real>
void check_rope_table(const golden::Field& rope, const Precision& precision, double tolerance,
                      const GoldenContext& context) {
  const std::int64_t head_dim = rope["head_dim"].integer(), positions = rope["positions"].integer();
  const double base = rope["base"].number();
  const auto doubles = [](const std::vector<Real>& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  const std::vector<Real> frequencies = rope_frequencies<Real>(head_dim, base, 1);
  const auto digest = [&](const std::string& name, const std::vector<double>& got) {
    if (!rope.has(name)) return;
    context.report.digest(rope[name].path(), got, rope[name].digest(), tolerance, tolerance);
  };
  digest("theta_" + precision.name, doubles(frequencies));
  digest("table_" + precision.name, doubles(rope_table(frequencies, positions)));
  for (const int scale : {8, 32}) {
    digest(fmt::format("theta_scaled_{}_{}", scale, precision.name),
           doubles(rope_frequencies<Real>(head_dim, base, scale)));
  }
}

void check_rotation(const golden::Field& rope, const GoldenContext& context) {
  const golden::Field input = rope["input"];
  const std::vector<std::int64_t> shape = input["shape"].integers();
  const auto stream = static_cast<std::uint64_t>(input["stream"].integer());
  input["rule"].note();
  LlamaConfig config;
  config.heads = 1;
  config.dim = rope["head_dim"].integer();
  config.rope_base = rope["base"].number();
  const std::int64_t positions = rope["positions"].integer();
  if (shape.size() != 4 || shape[0] != 1 || shape[1] != positions || shape[2] < 1 ||
      shape[2] > 64 || shape[3] != config.dim) {
    context.report.exact(input.path(), false, "the shape is not [1, positions, heads, head_dim]");
    return;
  }
  const torch::TensorOptions options = context.model.options(kFp64);
  const torch::Tensor x_bshe = context.model.filling().symmetric(shape, stream).to(options);
  const torch::Tensor got = rotate(x_bshe, rotation_table(config, positions, options));
  context.report.digest(rope["rotated_fp64"].path(), to_doubles(got), rope["rotated_fp64"].digest(),
                        1e-11, 1e-11);
}

/// Marks the fields of a precision that was not requested as known.
void note_all(const golden::Field& part, const std::string& precision) {
  for (const std::string& name : part.keys()) {
    if (name.ends_with("_" + precision)) part[name].note();
  }
}

void check_rope(const golden::Field& rope, const GoldenContext& context) {
  const std::int64_t head_dim = rope["head_dim"].integer(), positions = rope["positions"].integer();
  if (head_dim < 2 || head_dim > 4096 || head_dim % 2 != 0 || positions < 1 || positions > 65536) {
    context.report.exact(
        rope.path(), false,
        fmt::format("head_dim {}, positions {}: out of range", head_dim, positions));
    return;
  }
  if (context.wants(kFp64, rope.path() + ".table_fp64")) {
    check_rope_table<double>(rope, kFp64, 1e-13, context);
    if (rope.has("rotated_fp64")) check_rotation(rope, context);
  } else {
    note_all(rope, "fp64");
    if (rope.has("input")) rope["input"].note();
  }
  if (context.wants(kFp32, rope.path() + ".table_fp32")) {
    check_rope_table<float>(rope, kFp32, 1e-6, context);
  } else {
    note_all(rope, "fp32");
  }
}

void check_schedule(const golden::Field& list, const GoldenContext& context) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const golden::Field entry = list[i];
    const std::int64_t warmup = entry["warmup_steps"].integer(),
                       total = entry["total_steps"].integer();
    std::vector<double> factors;
    for (const std::int64_t step : entry["steps"].integers())
      factors.push_back(cosine_with_warmup(step, warmup, total));
    context.report.all_near(entry["factors"].path(), factors, entry["factors"].numbers(), 1e-12);
  }
}

void check_model_sizes(const golden::Field& sizes, const GoldenContext& context) {
  const std::vector<std::string>& known = llama_names();
  for (const std::string& name : sizes.keys()) {
    const golden::Field want = sizes[name];
    if (std::ranges::find(known, name) == known.end()) {
      context.report.skip(want.path(), "this build has no model of that name");
      want.note();
      continue;
    }
    const LlamaConfig config = llama_config(name);
    const ParameterCounts counts = count_parameters(config);
    const std::int64_t lora = count_lora_parameters(config, LoraConfig{});
    const std::array<std::pair<const char*, std::int64_t>, 13> facts{
        {{"parameters", counts.total},
         {"tensors", counts.tensors},
         {"per_layer", counts.per_layer},
         {"layer_linear", counts.layer_linear * config.layers},
         {"embedding", counts.embedding},
         {"lora_per_layer", lora},
         {"lora_rank8_qvo_mlp", lora * config.layers},
         {"layers", config.layers},
         {"vocab_size", config.vocab_size},
         {"dim", config.dim},
         {"heads", config.heads},
         {"kv_heads", config.kv_heads},
         {"ffn_dim", config.ffn_dim}}};
    for (const auto& [field, value] : facts) {
      if (want.has(field)) context.integer(want[field], value);
    }
    if (want.has("tied_output")) {
      context.report.exact(want["tied_output"].path(),
                           want["tied_output"].boolean() == config.tied_output,
                           fmt::format("in this build: {}", config.tied_output));
    }
  }
}

void check_llama(const nlohmann::json& json, const golden::Options& options,
                 golden::Report& report) {
  if (!can_check("llama", options, report)) return;
  const OneThread one_thread;
  const golden::Field file(json);
  note_origin(file);
  const GoldenModel model(file, options.device);
  const GoldenContext context{{options, report}, model};
  read_tokens(file["tokens"], model.config(), model.filling().seed, &report);
  if (file["labels"].has("rule")) file["labels"]["rule"].note();
  check_parameters(file, context);
  if (file.has("base")) check_base(file["base"], context);
  if (file.has("lora")) check_lora(file["lora"], context);
  if (file.has("accumulation")) check_accumulation(file["accumulation"], file["lora"], context);
  if (file.has("packed")) check_packed(file["packed"], context);
  if (file.has("rope")) check_rope(file["rope"], context);
  if (file.has("schedule")) check_schedule(file["schedule"], context);
  if (file.has("model_sizes")) check_model_sizes(file["model_sizes"], context);
  file.report_unknown(report);
}

[[maybe_unused]] const bool kRegistered = golden::register_topic("llama", check_llama);

}  // namespace

}  // namespace scalemark::llm
