// SPDX-License-Identifier: Apache-2.0
// What every process group does with tensors of a type.
#pragma once

#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "common/torch/process_group/collectives.hpp"
#include "common/torch/process_group/process_group.hpp"

namespace scalemark::torch_support {

/// Rank r gives the numbers from 10 r on; every rank gets all in order.
inline void expect_gathered(c10d::ProcessGroup& group, const std::vector<at::ScalarType>& types) {
  const int rank = group.getRank(), size = group.getSize();
  for (const auto type : types) {
    at::Tensor mine = at::arange(10, at::TensorOptions(type)).add_(10 * rank),
               all = at::zeros({10 * size}, type);
    all_gather_single(group, all, mine)->wait();
    EXPECT_TRUE(at::equal(all, at::arange(10 * size, at::TensorOptions(type)))) << type;
  }
}

/// Rank r adds r to the numbers from 0 on; it gets the five of the sum that are its part.
inline void expect_parts_of_sums(c10d::ProcessGroup& group,
                                 const std::vector<at::ScalarType>& types) {
  const int rank = group.getRank(), size = group.getSize();
  for (const auto type : types) {
    at::Tensor whole = at::arange(5 * size, at::TensorOptions(type)).add_(rank),
               part = at::zeros({5}, type);
    reduce_scatter_single(group, part, whole)->wait();
    const at::Tensor want = at::arange(5 * rank, 5 * (rank + 1), at::TensorOptions(type)) * size +
                            size * (size - 1) / 2;
    EXPECT_TRUE(at::equal(part, want)) << type;
  }
}

}  // namespace scalemark::torch_support
