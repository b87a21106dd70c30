// SPDX-License-Identifier: Apache-2.0
// Converts an activation between NCHW and NHWC with LibTorch.
#include "suites/imaging/model/layout_conversion.hpp"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

namespace scalemark::imaging {
namespace {

/// A whole number below 251, exact in every type. Neighbours in batch, channel, row and column have
/// different values.
std::int64_t value_at(std::int64_t n, std::int64_t c, std::int64_t row, std::int64_t column) {
  return (n * 83 + c * 31 + row * 7 + column) % 251;
}

/// Calls `visit(index, value)` for each element in memory order.
template <typename Visit>
void for_each_element(const LayoutConversion::Shape& shape, bool nhwc, Visit visit) {
  std::int64_t index = 0;
  for (std::int64_t n = 0; n < shape.batch; ++n) {
    const std::int64_t outer = nhwc ? shape.size : shape.channels;
    const std::int64_t inner = nhwc ? shape.channels : shape.size;
    for (std::int64_t a = 0; a < outer; ++a) {
      for (std::int64_t b = 0; b < shape.size; ++b) {
        for (std::int64_t c = 0; c < inner; ++c, ++index)
          visit(index, nhwc ? value_at(n, c, a, b) : value_at(n, a, b, c));
      }
    }
  }
}

at::Tensor in_layout(const LayoutConversion::Shape& shape, const at::TensorOptions& options,
                     bool nhwc) {
  return at::full({shape.batch, shape.channels, shape.size, shape.size}, -1, options)
      .contiguous(nhwc ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
}

}  // namespace

LayoutConversion::LayoutConversion(const Shape& shape, c10::ScalarType type, bool to_nhwc,
                                   c10::Device device)
    : shape_(shape), to_nhwc_(to_nhwc) {
  const at::TensorOptions on_host = at::TensorOptions().dtype(type);
  at::Tensor from = in_layout(shape, on_host, !to_nhwc);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, type, "fill", [&] {
    auto* data = from.mutable_data_ptr<scalar_t>();
    for_each_element(shape, !to_nhwc, [&](std::int64_t index, std::int64_t value) {
      data[index] = static_cast<scalar_t>(static_cast<float>(value));
    });
  });
  from_ = from.to(device);
  to_ = in_layout(shape, on_host.device(device), to_nhwc);
}

void LayoutConversion::run() { to_.copy_(from_); }

Case::Checked LayoutConversion::check() {
  const at::Tensor got = to_.cpu();
  Case::Checked checked;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, got.scalar_type(), "check", [&] {
    const auto* data = got.const_data_ptr<scalar_t>();
    for_each_element(shape_, to_nhwc_, [&](std::int64_t index, std::int64_t value) {
      ++checked.checked;
      if (!(static_cast<double>(data[index]) == static_cast<double>(value))) ++checked.wrong;
    });
  });
  to_.fill_(-1);
  return checked;
}

double LayoutConversion::bytes() const {
  return static_cast<double>(from_.nbytes()) + static_cast<double>(to_.nbytes());
}

}  // namespace scalemark::imaging
