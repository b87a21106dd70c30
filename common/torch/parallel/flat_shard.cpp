// SPDX-License-Identifier: Apache-2.0
// Flat shards: tensors cut into equal parts over ranks.
#include "common/torch/parallel/flat_shard.hpp"

#include <utility>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/torch/process_group/collectives.hpp"

namespace scalemark::torch_support {
namespace {

/// Replaces or frees the storage's memory without the tensors in it noticing. Their version
/// counters stay, by which autograd detects changes of saved tensors.
void set_memory(const at::Tensor& whole, bool there) {
  c10::DataPtr memory(nullptr, whole.device());
  std::size_t bytes = 0;
  if (there) {
    const at::Tensor fresh = at::empty(whole.sizes(), whole.options());
    bytes = fresh.nbytes();
    memory = fresh.storage().set_data_ptr(std::move(memory));
  }
  c10::StorageImpl* storage = whole.storage().unsafeGetStorageImpl();
  storage->set_data_ptr_noswap(std::move(memory));
  storage->set_nbytes(bytes);
}

}  // namespace

FlatShard::FlatShard(std::vector<at::Tensor> tensors, const ProcessGroupPtr& group, bool on_host)
    : tensors_(std::move(tensors)) {
  const at::NoGradGuard no_grad;
  const std::int64_t ranks = group->getSize();
  std::int64_t elements = 0;
  for (const at::Tensor& tensor : tensors_) {
    offsets_.push_back(elements);
    elements += tensor.numel();
  }
  if (elements < ranks)
    throw UsageError(
        fmt::format("{} elements cannot be cut into parts for {} ranks; take at most "
                    "as many ranks",
                    elements, ranks));
  const std::int64_t each = (elements + ranks - 1) / ranks;
  whole_ = at::zeros({each * ranks}, tensors_.front().options().requires_grad(false));
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const at::Tensor place =
        whole_.narrow(0, offsets_[i], tensors_[i].numel()).view(tensors_[i].sizes());
    place.copy_(tensors_[i]);
    tensors_[i].set_data(place);
  }
  part_ = whole_.narrow(0, each * group->getRank(), each).clone();
  if (on_host && !part_.device().is_cpu()) part_ = part_.cpu().pin_memory();
  release();
}

Started FlatShard::start_gather(c10d::ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  set_memory(whole_, true);
  Started gather{
      .work = {}, .input = part_.to(whole_.device(), /*non_blocking=*/true), .output = whole_};
  gather.work = all_gather_single(group, gather.output, gather.input);
  return gather;
}

void FlatShard::release() { set_memory(whole_, false); }

void FlatShard::collect_gradient(std::size_t index) {
  const at::NoGradGuard no_grad;
  at::Tensor& tensor = tensors_[index];
  if (!gradients_.defined()) gradients_ = at::zeros(whole_.sizes(), whole_.options());
  if (!tensor.grad().defined()) return;
  gradients_.narrow(0, offsets_[index], tensor.numel()).copy_(tensor.grad().reshape(-1));
  tensor.mutable_grad().reset();
}

Started FlatShard::start_reduction(c10d::ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  Started reduction{.work = {},
                    .input = std::exchange(gradients_, at::Tensor()),
                    .output = at::empty(part_.sizes(), whole_.options())};
  reduction.work = reduce_scatter_single(group, reduction.output, reduction.input);
  return reduction;
}

void FlatShard::add_to_part(const at::Tensor& reduced) {
  const at::NoGradGuard no_grad;
  at::Tensor& gradient = part_.mutable_grad();
  const at::Tensor arrived = reduced.to(part_.device());
  gradient = gradient.defined() ? gradient.add_(arrived) : arrived;
}

}  // namespace scalemark::torch_support
