// SPDX-License-Identifier: Apache-2.0
// Three c10d collectives whose names differ between LibTorch releases: 2.15 deprecates those
// of 2.11.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace scalemark::torch_support {

/// Collective. Gathers every rank's `input`, in rank order.
template <class Group>
c10::intrusive_ptr<c10d::Work> all_gather_single(Group& group, at::Tensor& output,
                                                 at::Tensor& input) {
  if constexpr (requires { group.all_gather_single(output, input); }) {
    return group.all_gather_single(output, input);
  } else {
    return group._allgather_base(output, input);
  }
}

/// Collective. Reduces `input` and returns this rank's part.
template <class Group>
c10::intrusive_ptr<c10d::Work> reduce_scatter_single(
    Group& group, at::Tensor& output, at::Tensor& input,
    const c10d::ReduceScatterOptions& options = {}) {
  if constexpr (requires { group.reduce_scatter_single(output, input, options); }) {
    return group.reduce_scatter_single(output, input, options);
  } else {
    return group._reduce_scatter_base(output, input, options);
  }
}

/// Collective. Sends and receives the given numbers of elements to and from each rank.
template <class Group>
c10::intrusive_ptr<c10d::Work> all_to_all_single(Group& group, at::Tensor& output,
                                                 at::Tensor& input, std::vector<std::int64_t>& from,
                                                 std::vector<std::int64_t>& to) {
  if constexpr (requires { group.all_to_all_single(output, input, from, to); }) {
    return group.all_to_all_single(output, input, from, to);
  } else {
    return group.alltoall_base(output, input, from, to);
  }
}

}  // namespace scalemark::torch_support
