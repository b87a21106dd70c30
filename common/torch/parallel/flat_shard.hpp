// SPDX-License-Identifier: Apache-2.0
// Tensors that are cut into equal parts over ranks, and put together where they are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/torch/process_group/process_group.hpp"

namespace scalemark::torch_support {

/// A collective under way. The tensors are kept until it is waited for.
struct Started {
  c10::intrusive_ptr<c10d::Work> work;
  at::Tensor input, output;
};

/// Tensors of one type on one device, laid one behind the other, filled up with zeros to a multiple
/// of the ranks, and cut into one part a rank. Each tensor stays the object that it was, for
/// modules and for autograd, but lies in memory that is there only from start_gather() to
/// release(): tensors that autograd has saved are valid again when it is back.
class FlatShard {
 public:
  /// Cuts the tensors and gives their memory back. Not collective: every rank keeps its part of the
  /// values that it has, which must be equal on all. Parts lie in host memory (pinned where the
  /// tensors are a GPU's) with `on_host`. Throws UsageError for fewer elements than ranks.
  FlatShard(std::vector<at::Tensor> tensors, const ProcessGroupPtr& group, bool on_host);

  const std::vector<at::Tensor>& tensors() const { return tensors_; }
  /// This rank's part: what an optimiser updates.
  const at::Tensor& part() const { return part_; }

  /// Collective. Memory for the whole, and the all-gather into it.
  Started start_gather(c10d::ProcessGroup& group);
  void release();

  /// Adds the gradient of tensor `index`, and takes it from the tensor, into a whole of gradients.
  void collect_gradient(std::size_t index);
  /// Collective. The reduce-scatter (sum) of what was collected.
  Started start_reduction(c10d::ProcessGroup& group);
  /// Adds what a reduction has brought to the part's gradient.
  void add_to_part(const at::Tensor& reduced);

 private:
  std::vector<at::Tensor> tensors_;
  std::vector<std::int64_t> begins_;  ///< of the tensors in the whole
  at::Tensor whole_, part_, gradients_;
};

}  // namespace scalemark::torch_support
