// SPDX-License-Identifier: Apache-2.0
// Networks and inputs filled by the rules of golden files.
#include "suites/imaging/golden/golden_model.hpp"

#include <charconv>
#include <cmath>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/nn/functional/loss.h>

#include "common/base/error.hpp"
#include "common/golden/fill.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::uint64_t kParameterStream = 1000, kBufferStream = 100000;
constexpr std::int64_t kMaxElements = 50'000'000;

template <typename Function>
void fill_with(at::Tensor target, Function value) {
  at::Tensor values = at::empty(target.sizes(), at::kDouble);
  auto* data = values.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < values.numel(); ++i) data[i] = value(static_cast<std::uint64_t>(i));
  target.copy_(values);
}

void fill_parameter(const GoldenContext& context, const std::string& name, std::uint64_t stream,
                    const at::Tensor& target) {
  const auto sym = [&](std::uint64_t i) { return golden::sym(context.seed, stream, i); };
  if (target.dim() > 1) {
    const auto fan_in = static_cast<double>(target.numel() / target.size(0));
    const double bound = std::sqrt(context.gain / fan_in);
    fill_with(target, [&](std::uint64_t i) { return bound * sym(i); });
  } else {
    const double centre = name.ends_with("weight") ? 1 : 0;
    fill_with(target, [&](std::uint64_t i) { return centre + 0.1 * sym(i); });
  }
}

void fill_buffer(const GoldenContext& context, const std::string& name, std::uint64_t stream,
                 at::Tensor target) {
  const auto sym = [&](std::uint64_t i) { return golden::sym(context.seed, stream, i); };
  if (name.ends_with("running_mean")) {
    fill_with(target, [&](std::uint64_t i) { return 0.1 * sym(i); });
  } else if (name.ends_with("running_var")) {
    fill_with(target, [&](std::uint64_t i) { return 1 + 0.5 * sym(i); });
  } else {
    target.zero_();
  }
}

/// Parses the number in `text` between `prefix` and `suffix`; returns false if the text differs.
template <typename Number>
bool parse_rule(std::string_view text, std::string_view prefix, std::string_view suffix,
                Number& number) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  return error == std::errc() && (rest == suffix || (suffix.empty() && rest.starts_with(",")));
}

}  // namespace

bool GoldenContext::wants(const std::string& precision, const Field& field) const {
  if (options.precisions.contains(precision)) return true;
  field.note();
  report.skip(field.path(), fmt::format("precision {} was not asked for", precision));
  return false;
}

GoldenInput::GoldenInput(const Field& field)
    : shape(field["shape"].integers()),
      stream(static_cast<std::uint64_t>(field["stream"].integer())) {
  std::int64_t elements = 1;
  for (const std::int64_t length : shape) {
    if (length < 1 || length > kMaxElements / elements) {
      throw InputError(fmt::format("field '{}.shape' has length {}: at most {} elements",
                                   field.path(), length, kMaxElements));
    }
    elements *= length;
  }
  const std::string rule = field["rule"].text();
  if (!parse_rule(rule, "", " * symmetric", factor) &&
      !(parse_rule(rule, "word mod ", "", modulus) && modulus > 0)) {
    throw InputError(fmt::format("field '{}.rule' is '{}'; known: 'F * symmetric', 'word mod N'",
                                 field.path(), rule));
  }
}

at::Tensor GoldenInput::values(std::uint64_t seed) const {
  at::Tensor result = at::empty(shape, modulus == 0 ? at::kDouble : at::kLong);
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    const auto place = static_cast<std::uint64_t>(i);
    if (modulus == 0) {
      result.mutable_data_ptr<double>()[i] = factor * golden::sym(seed, stream, place);
    } else {
      result.mutable_data_ptr<std::int64_t>()[i] =
          static_cast<std::int64_t>(golden::word(seed, stream, place) % modulus);
    }
  }
  return result;
}

std::shared_ptr<MobileNetV2> filled_network(const GoldenContext& context, at::ScalarType type,
                                            bool channels_last) {
  const at::NoGradGuard no_grad;
  auto network = std::make_shared<MobileNetV2>(
      MobileNetOptions{.classes = context.classes, .width = 1.0, .dropout = 0});
  network->to(type);
  std::uint64_t stream = kParameterStream;
  for (const auto& item : network->named_parameters())
    fill_parameter(context, item.key(), stream++, item.value());
  stream = kBufferStream;
  for (const auto& item : network->named_buffers())
    fill_buffer(context, item.key(), stream++, item.value());
  network->to(context.device);
  if (channels_last) to_channels_last(*network);
  return network;
}

GoldenBatch GoldenBatch::rows(std::int64_t from, std::int64_t to) const {
  return {images.slice(0, from, to), labels.slice(0, from, to)};
}

GoldenBatch make_batch(const GoldenContext& context, const Field& images, const Field& labels,
                       at::ScalarType type, bool channels_last) {
  const GoldenInput image_rule(images), label_rule(labels);
  if (image_rule.shape.size() != 4 || image_rule.shape[1] != 3 || image_rule.modulus != 0 ||
      label_rule.shape != std::vector<std::int64_t>{image_rule.shape[0]} ||
      label_rule.modulus != static_cast<std::uint64_t>(context.classes)) {
    throw InputError(fmt::format(
        "fields '{}' and '{}' are no batch of images [n, 3, h, w] and n labels below {}",
        images.path(), labels.path(), context.classes));
  }
  const auto format = channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  return {image_rule.values(context.seed).to(type).to(context.device).contiguous(format),
          label_rule.values(context.seed).to(context.device)};
}

Pass run_pass(MobileNetV2& network, const GoldenBatch& batch, bool train) {
  network.train(train);
  network.zero_grad();
  const at::Tensor logits = network.forward(batch.images);
  const at::Tensor loss = torch::nn::functional::cross_entropy(logits, batch.labels);
  loss.backward();
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : network.parameters()) gradients.push_back(parameter.grad());
  return {logits.detach().to(at::kCPU, at::kDouble), loss.item<double>(), flatten(gradients)};
}

at::Tensor flatten(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& tensor : tensors)
    flat.push_back(tensor.detach().to(at::kCPU, at::kDouble).contiguous().view(-1));
  return at::cat(flat);
}

std::vector<double> to_doubles(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
  const auto* data = plain.const_data_ptr<double>();
  return {data, data + plain.numel()};
}

double relative_l2(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

}  // namespace scalemark::imaging
