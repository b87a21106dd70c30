// SPDX-License-Identifier: Apache-2.0
// Golden topic "quant", part "qat": fake quantisation, and linear maps over it.
#include <fmt/format.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/golden/golden_quant.hpp"
#include "suites/llm/model/lora.hpp"
#include "suites/llm/quant/qat.hpp"

namespace scalemark::llm {
namespace {

/// Elementwise results; codes are exact, but for the rounding of their sums.
constexpr double kElements = 1e-7, kCodes = 1e-14;

struct Inputs {
  torch::Tensor weight, x, output_gradient;  ///< double

  Inputs(const golden::Field& part, const Filling& filling)
      : weight(read_input(part["weight"], filling)),
        x(read_input(part["x"], filling)),
        output_gradient(read_input(part["output_gradient"], filling)) {
    std::vector<std::int64_t> shape = x.sizes().vec();
    if (weight.dim() == 2) shape.back() = weight.size(0);
    if (weight.dim() != 2 || x.size(-1) != weight.size(1) ||
        output_gradient.sizes() != torch::IntArrayRef(shape)) {
      throw InputError(fmt::format(
          "field '{}': the shapes of x, weight and output_gradient do not belong together",
          part.path()));
    }
  }
};

/// One precision of a case: what is looked at, and with which rules.
class Case {
 public:
  Case(const golden::Field& want, const FakeQuantOptions& rules, const Precision& precision,
       const QuantContext& context)
      : want_(want), rules_(rules), precision_(precision), context_(context) {}

  void check(const Inputs& inputs) const {
    const torch::TensorOptions options = context_.tensor_options(precision_.type);
    const torch::Tensor weight = inputs.weight.to(options), x = inputs.x.to(options);
    check_weight(weight);
    check_tokens(x);
    check_linear(weight, x, inputs.output_gradient.to(options));
  }

 private:
  void values(const char* name, const torch::Tensor& got, double tolerance) const {
    const golden::Field want = want_[name];
    if (!want.has("n")) return context_.numbers(want, to_doubles(got), tolerance);
    context_.report.digest(want.path(), to_doubles(got), want.digest(), tolerance,
                           tolerance == kCodes ? 0 : -1);
  }

  /// Sums of products. A bf16 result rounded the other way differs by 2^-8 of its value.
  void product(const char* name, const torch::Tensor& got) const {
    if (!want_.has(name)) return;
    const golden::Field want = want_[name];
    const nlohmann::json& digest = want.digest();
    const double mean = got.abs().mean(torch::kFloat64).item<double>();
    context_.report.digest(want.path(), to_doubles(got), digest, precision_.logits,
                           10 * precision_.logits * mean);
  }

  void same(const char* name, const torch::Tensor& fast, const torch::Tensor& operators) const {
    context_.report.exact(want_[name].path() + ".fast_path", torch::equal(fast, operators),
                          "the loops and LibTorch's operators differ");
  }

  void check_weight(const torch::Tensor& weight) const {
    const FakeQuantised got = examine_weight(weight, rules_);
    values("weight_scales", got.scales, kElements);
    values("weight_codes", got.codes, kCodes);
    context_.integer(want_["weight_codes_clipped"], (~got.inside).sum().item<std::int64_t>());
    values("fake_quantised_weight", got.values, kElements);
    same("fake_quantised_weight", fake_quantise_weight(weight, rules_), got.values);
    const char* const row = "fake_quantised_weight_row0_first_group";
    if (want_.has(row)) values(row, got.values[0].narrow(0, 0, rules_.group), kElements);
  }

  void check_tokens(const torch::Tensor& x) const {
    const FakeQuantised got = examine_tokens(x);
    values("activation_scales", got.scales, kElements);
    values("activation_zero_points", got.zero_points, kCodes);
    values("activation_codes", got.codes, kCodes);
    values("fake_quantised_activations", got.values, kElements);
    same("fake_quantised_activations", fake_quantise_tokens(x), got.values);
  }

  void check_linear(const torch::Tensor& weight, const torch::Tensor& x,
                    const torch::Tensor& gradient) const {
    const auto run = [&](const FakeQuantOptions& rules, bool on) {
      Linear linear(weight.size(1), weight.size(0), weight.options());
      {
        const torch::NoGradGuard no_grad;
        linear->weight.copy_(weight);
      }
      prepare_qat(*linear, rules);
      switch_fake_quant(*linear, on);
      const torch::Tensor input = x.clone().requires_grad_();
      const torch::Tensor y = linear(input);
      y.backward(gradient);
      return std::array{y.detach(), input.grad(), linear->weight.grad()};
    };
    const auto [y, x_gradient, weight_gradient] = run(rules_, true);
    product("y", y);
    product("x_gradient", x_gradient);
    product("weight_gradient", weight_gradient);
    FakeQuantOptions unmasked = rules_;
    unmasked.clip_gradient = false;
    product("weight_gradient_without_clip_mask", run(unmasked, true)[2]);
    product("y_disabled", run(rules_, false)[0]);
    context_.report.exact(want_["y_disabled"].path() + ".plain",
                          torch::equal(run(rules_, false)[0], torch::linear(x, weight)),
                          "switched off it is not the plain product");
  }

  const golden::Field& want_;
  FakeQuantOptions rules_;
  const Precision& precision_;
  const QuantContext& context_;
};

FakeQuantOptions read_rules(const golden::Field& part) {
  FakeQuantOptions rules;
  rules.group = part["group_size"].integer();
  if (part.has("clip_mask_in_weight_gradient"))
    rules.clip_gradient = part["clip_mask_in_weight_gradient"].boolean();
  return rules;
}

/// The case or model of `list` with the same groups.
golden::Field same_group(const golden::Field& list, const golden::Field& older) {
  const std::int64_t group = older["group_size"].integer();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i]["group_size"].integer() == group) return list[i];
  }
  throw InputError(fmt::format("field '{}' has groups of {}, which '{}' has not", older.path(),
                               group, list.path()));
}

}  // namespace

void check_qat(const golden::Field& list, const QuantContext& context) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const golden::Field part = list[i];
    const FakeQuantOptions rules = read_rules(part);
    const Inputs inputs(part, context.filling);
    for (const Precision* precision : {&kFp32, &kBf16}) {
      if (!part.has(precision->name)) continue;
      const golden::Field want = part[precision->name];
      if (precision == &kFp32 && !context.wants(kFp32, want.path())) {
        want.note();
      } else {
        Case(want, rules, *precision, context).check(inputs);
      }
    }
  }
}

void check_older_torchao(const golden::Field& part, const QuantContext& context) {
  note_origin(part);
  if (part.has("qat_bf16")) {
    for (std::size_t i = 0; i < part["qat_bf16"].size(); ++i) {
      const golden::Field want = part["qat_bf16"][i];
      const Inputs inputs(same_group(context.file["qat"], want), context.filling);
      const FakeQuantOptions rules{want["group_size"].integer(), /*clip_gradient=*/false,
                                   /*floor_of_type=*/false};
      Case(want, rules, kBf16, context).check(inputs);
    }
  }
  if (!part.has("qat_model")) return;
  for (std::size_t i = 0; i < part["qat_model"].size(); ++i) {
    const golden::Field want = part["qat_model"][i];
    check_older_qat_model(want, same_group(context.file["qat_model"], want), context);
  }
}

}  // namespace scalemark::llm
