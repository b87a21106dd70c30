// SPDX-License-Identifier: Apache-2.0
// Golden topic "quant"; its part "nf4": codes, scales, the weight back, linear maps over it.
#include "suites/llm/golden/golden_quant.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/quant/nf4_rows.hpp"
#include "suites/llm/quant/qlora.hpp"

namespace scalemark::llm {
namespace {

/// Digests of what must be equal: their sums differ by the rounding of the sum alone.
constexpr double kSameSums = 1e-14;

/// A list of values, or a digest of them.
void check_values(const golden::Field& want, const torch::Tensor& got, double tolerance,
                  const QuantContext& context) {
  if (want.has("n")) {
    context.report.digest(want.path(), to_doubles(got), want.digest(), tolerance,
                          tolerance <= kSameSums ? 0 : -1);
  } else {
    context.numbers(want, to_doubles(got), tolerance <= kSameSums ? 0 : tolerance);
  }
}

/// Rows that the file holds whole: dequantised_row_N.
void check_rows(const golden::Field& part, const torch::Tensor& weight, double tolerance,
                const QuantContext& context) {
  static const std::string prefix = "dequantised_row_";
  for (const std::string& name : part.keys()) {
    if (!name.starts_with(prefix)) continue;
    std::int64_t row = -1;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, row);
    if (error != std::errc() || stop != end || row < 0 || row >= weight.size(0)) continue;
    context.numbers(part[name], to_doubles(weight[row]), tolerance);
  }
}

void check_codes(const golden::Field& want, const Nf4Tensor& got, const QuantContext& context) {
  const torch::Tensor codes = nf4_codes(got);
  check_values(want["codes"], codes, kSameSums, context);
  check_values(want["packed_bytes"], got.packed, kSameSums, context);
  context.numbers(want["packed_first_32_bytes"], to_doubles(got.packed.narrow(0, 0, 32)), 0);
  const torch::Tensor histogram = torch::bincount(codes.to(torch::kInt64), {}, 16);
  context.numbers(want["code_histogram"], to_doubles(histogram), 0);
  check_values(want["int8_scalers"], got.scalers, kSameSums, context);
}

void check_tensor(const golden::Field& part, const Precision& precision,
                  const QuantContext& context) {
  const golden::Field want = part[precision.name];
  if (&precision != &kBf16 && !context.wants(precision, want.path())) return want.note();
  // fp32 may add up the mean in another order; bf16 rounds that away.
  const double tolerance = precision.name == "fp64"   ? 1e-13
                           : precision.name == "fp32" ? 1e-6
                                                      : kSameSums;
  const torch::Tensor weight =
      read_input(part["weight"], context.filling).to(context.tensor_options(precision.type));
  check_values(want["weight"], weight, kSameSums, context);
  const Nf4Tensor got = quantise_nf4(weight);
  check_codes(want, got, context);
  check_values(want["block_absmax"], nf4_block_maxima(weight), kSameSums, context);
  context.number(want["scaler_mean"], got.mean.item<double>(), tolerance);
  context.numbers(want["quantization_factor"], to_doubles(got.factors), tolerance);
  check_values(want["dequantised_scales"], dequantise_scales(got), tolerance, context);
  const torch::Tensor back = dequantise(got);
  check_values(want["dequantised_weight"], back, tolerance, context);
  context.number(want["quantisation_error_l2"], relative_l2_error({{"", back}}, {{"", weight}}),
                 std::max(tolerance, 1e-12));
  check_rows(want, back, std::max(tolerance, 1e-9), context);
}

/// A linear map over the quantised weight, and its input's gradient; with adapters theirs too.
void check_product(const golden::Field& want, Linear& linear, const torch::Tensor& x,
                   const torch::Tensor& output_gradient, const Precision& precision,
                   const QuantContext& context) {
  const auto digest = [&](const char* name, const torch::Tensor& got, double tolerance) {
    context.report.digest(want[name].path(), to_doubles(got), want[name].digest(), tolerance);
  };
  const torch::Tensor input = x.detach().clone().requires_grad_();
  const torch::Tensor y = linear(input);
  y.backward(output_gradient);
  digest("y", y, precision.logits);
  digest("x_gradient", input.grad(), precision.logits);
  if (!linear->has_lora()) return;
  const auto parameters = linear->named_parameters();
  digest("lora_a_gradient", parameters["lora_a.weight"].grad(), precision.logits);
  digest("lora_b_gradient", parameters["lora_b.weight"].grad(), precision.logits);
}

void add_filled_lora(Linear& linear, const golden::Field& part, const Precision& precision,
                     const QuantContext& context) {
  const std::int64_t rank = part["rank"].integer();
  const std::vector<std::int64_t> streams = part["adapter_streams"].integers();
  if (rank < 1 || rank > linear->in_features() || streams.size() != 2) {
    throw InputError(fmt::format("field '{}' wants a rank of 1 to {} and two adapter_streams",
                                 part.path(), linear->in_features()));
  }
  linear->add_lora(rank, part["alpha"].number());
  const torch::NoGradGuard no_grad;
  std::size_t i = 0;
  for (auto& item : linear->named_parameters()) {
    const FilledTensor tensor{item.key(), item.value().sizes().vec(),
                              static_cast<std::uint64_t>(streams.at(i++))};
    item.value().copy_(context.filling.filled(tensor, context.tensor_options(precision.type)));
  }
}

void check_linear(const golden::Field& part, const golden::Field& weight_field,
                  const QuantContext& context) {
  const torch::Tensor x = read_input(part["x"], context.filling),
                      gradient = read_input(part["output_gradient"], context.filling),
                      weight = read_input(weight_field, context.filling);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(0);
  if (weight.dim() != 2 || x.size(-1) != weight.size(1) ||
      gradient.sizes() != torch::IntArrayRef(shape))
    throw InputError(
        fmt::format("field '{}': the shapes of x, weight and output_gradient do not "
                    "belong together",
                    part.path()));
  for (const Precision& precision : {kFp64, kFp32}) {
    if (!part.has(precision.name)) continue;
    const golden::Field want = part[precision.name];
    if (!context.wants(precision, want.path())) {
      want.note();
      continue;
    }
    const torch::TensorOptions options = context.tensor_options(precision.type);
    Linear linear(weight.size(1), weight.size(0), options);
    linear->replace_weight(std::make_shared<Nf4Product>(weight.to(options)));
    check_product(want, linear, x.to(options), gradient.to(options), precision, context);
    if (!want.has("lora")) continue;
    add_filled_lora(linear, want["lora"], precision, context);
    check_product(want["lora"], linear, x.to(options), gradient.to(options), precision, context);
  }
}

void check_quant(const nlohmann::json& json, const golden::Options& options,
                 golden::Report& report) {
  if (!can_check("quant", options, report)) return;
  const OneThread one_thread;
  const golden::Field file(json);
  note_origin(file);
  const QuantContext context{{options, report}, file, Filling(file)};
  if (file.has("nf4")) check_nf4(file["nf4"], context);
  if (file.has("qlora_model")) check_qlora_model(file["qlora_model"], context);
  if (file.has("qat")) check_qat(file["qat"], context);
  if (file.has("qat_model")) check_qat_model(file["qat_model"], context);
  if (file.has("older_torchao")) check_older_torchao(file["older_torchao"], context);
  file.report_unknown(report);
}

[[maybe_unused]] const bool kQuantRegistered = golden::register_topic("quant", check_quant);

}  // namespace

void check_nf4(const golden::Field& list, const QuantContext& context) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const golden::Field part = list[i];
    context.integer(part["block_size"], nf4::kBlock);
    context.integer(part["scaler_block_size"], nf4::kScalerBlock);
    context.numbers(part["codebook"], {nf4::kCodebook.begin(), nf4::kCodebook.end()}, 0);
    // The code, an int8 a block, and a factor counted as four bytes whatever its type.
    const auto blocks = static_cast<double>(nf4::kBlock);
    context.number(part["bits_per_parameter"],
                   4 + 8 / blocks + 32 / (blocks * static_cast<double>(nf4::kScalerBlock)), 0);
    for (const Precision* precision : {&kFp64, &kFp32, &kBf16}) {
      if (part.has(precision->name)) check_tensor(part, *precision, context);
    }
    if (part.has("linear")) check_linear(part["linear"], part["weight"], context);
  }
}

}  // namespace scalemark::llm
