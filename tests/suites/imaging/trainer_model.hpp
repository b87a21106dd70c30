// SPDX-License-Identifier: Apache-2.0
// A filled network and a batch, for tests that compare trainers.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "suites/imaging/golden/golden_model.hpp"
#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {

/// The golden files' network: values of all layers are of size 1, so that every parameter moves.
/// In double unless a trainer changes that. No dropout.
inline std::shared_ptr<MobileNetV2> filled_model() {
  const golden::Options options;
  golden::Report report("");
  return filled_network({1, 6, 10, c10::Device(c10::kCPU), options, report}, at::kDouble, false);
}

inline Batch random_batch(std::int64_t size, at::ScalarType type = at::kDouble,
                          std::int64_t image = 32) {
  at::manual_seed(11);
  return {at::randn({size, 3, image, image}, at::kDouble).to(type),
          at::randint(10, {size}, at::kLong)};
}

inline std::vector<at::Tensor> copy_of(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> copies;
  for (const at::Tensor& tensor : tensors) copies.push_back(tensor.detach().clone());
  return copies;
}

inline double largest_difference(const std::vector<at::Tensor>& a,
                                 const std::vector<at::Tensor>& b) {
  double largest = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double one = (a[i].detach() - b[i].detach()).abs().max().item<double>();
    if (!(one <= largest)) largest = one;  // a NaN stays
  }
  return largest;
}

/// How far the parameter that moved least has moved.
inline double smallest_movement(const std::vector<at::Tensor>& from,
                                const std::vector<at::Tensor>& to) {
  double smallest = 1e300;
  for (std::size_t i = 0; i < from.size(); ++i)
    smallest = std::min(smallest, largest_difference({from[i]}, {to[i]}));
  return smallest;
}

}  // namespace scalemark::imaging
