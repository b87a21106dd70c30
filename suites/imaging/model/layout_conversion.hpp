// SPDX-License-Identifier: Apache-2.0
// Conversion of an activation between NCHW and NHWC.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "common/core/case.hpp"

namespace scalemark::imaging {

/// A tensor [batch, channels, size, size] in one layout, and memory for it in the other.
class LayoutConversion {
 public:
  struct Shape {
    std::int64_t batch = 1, channels = 1, size = 1;
    std::int64_t elements() const { return batch * channels * size * size; }
  };

  /// `to_nhwc`: from NCHW to NHWC (channels last); else the reverse.
  LayoutConversion(const Shape& shape, c10::ScalarType type, bool to_nhwc, c10::Device device);

  void run();
  /// Compares every element, at its position in memory, with the expected value; then overwrites
  /// all.
  Case::Checked check();
  /// Bytes read and written.
  double bytes() const;

  at::Tensor& converted() { return to_; }

 private:
  Shape shape_;
  bool to_nhwc_;
  at::Tensor from_, to_;
};

}  // namespace scalemark::imaging
