// SPDX-License-Identifier: Apache-2.0
// Flat shards: tensors cut into equal parts over ranks, and gathered where they are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/torch/process_group/process_group.hpp"

namespace scalemark::torch_support {

/// A collective in progress. It keeps the tensors alive until the wait.
struct Started {
  c10::intrusive_ptr<c10d::Work> work;
  at::Tensor input, output;
  std::size_t number = 0;  ///< of FsdpRecord
};

/// Tensors of one type on one device, concatenated, zero-padded to a multiple of the ranks, and cut
/// into one part per rank. Each tensor remains the same object for modules and autograd. Its memory
/// exists only from start_gather() to release(); tensors that autograd has saved are valid again
/// after the next gather.
class FlatShard {
 public:
  /// Cuts the tensors and frees their memory. Not collective: every rank keeps its part of its own
  /// values, which must be equal on all ranks. With `on_host` parts lie in host memory (pinned if
  /// the tensors are on a GPU). Throws UsageError for fewer elements than ranks.
  FlatShard(std::vector<at::Tensor> tensors, const ProcessGroupPtr& group, bool on_host);

  const std::vector<at::Tensor>& tensors() const { return tensors_; }
  /// This rank's part, which the optimiser updates.
  const at::Tensor& part() const { return part_; }

  /// Collective. Allocates the whole and starts the all-gather into it.
  Started start_gather(c10d::ProcessGroup& group);
  void release();

  /// Moves the gradient of tensor `index` into the flat buffer of gradients, adding to it.
  void collect_gradient(std::size_t index);
  /// Collective. Starts the reduce-scatter (sum) of the collected gradients.
  Started start_reduction(c10d::ProcessGroup& group);
  /// Adds the result of a reduction to the part's gradient.
  void add_to_part(const at::Tensor& reduced);

 private:
  std::vector<at::Tensor> tensors_;
  std::vector<std::int64_t> offsets_;  ///< of the tensors in the whole
  at::Tensor whole_, part_, gradients_;
};

}  // namespace scalemark::torch_support
