// SPDX-License-Identifier: Apache-2.0
// Fully sharded data parallelism.
#include "common/torch/parallel/fsdp.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

#include "common/base/error.hpp"

namespace scalemark::torch_support {
namespace {

/// Tensors that share a flat shard: buffers or parameters of one type, either all trained or all
/// frozen.
struct Group {
  at::ScalarType type;
  bool trained, buffer;
  std::vector<at::Tensor> tensors;
};

void put(std::vector<Group>& groups, const at::Tensor& tensor, bool buffer) {
  const auto fits = [&](const Group& group) {
    return group.type == tensor.scalar_type() && group.trained == tensor.requires_grad() &&
           group.buffer == buffer;
  };
  auto found = std::ranges::find_if(groups, fits);
  if (found == groups.end())
    found = groups.insert(found, {tensor.scalar_type(), tensor.requires_grad(), buffer, {}});
  found->tensors.push_back(tensor);
}

}  // namespace

/// One flat shard, and how many gradients of its tensors are pending in this backward pass.
struct Fsdp::Piece {
  Piece(std::vector<at::Tensor> tensors, const ProcessGroupPtr& group, bool on_host)
      : flat(std::move(tensors), group, on_host) {}
  ~Piece() {
    for (auto& [accumulator, key] : hooks) accumulator->del_post_hook(key);
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  bool trained() const { return flat.tensors().front().requires_grad(); }

  FlatShard flat;
  std::size_t awaited = 0;
  /// Autograd keeps gradient accumulators only while a graph refers to them, so they are held here.
  /// The pointer type changed after LibTorch 2.11.
  std::vector<std::pair<decltype(torch::autograd::Edge::function), std::uintptr_t>> hooks;
};

struct Fsdp::Unit {
  std::vector<std::unique_ptr<Piece>> pieces;
  std::vector<Started> gathers;  ///< in progress
  bool there = false;            ///< gathered, or being gathered
};

struct Fsdp::Reduction {
  Piece* piece;
  Started started;
};

Fsdp::Fsdp(ProcessGroupPtr group, const FsdpOptions& options, std::shared_ptr<FsdpRecord> record)
    : group_(std::move(group)),
      options_(options),
      record_(std::move(record)),
      root_(std::make_unique<Unit>()) {}

Fsdp::~Fsdp() = default;

Fsdp::Unit& Fsdp::unit(std::size_t layer) {
  while (layers_.size() <= layer) layers_.push_back(std::make_unique<Unit>());
  return *layers_[layer];
}

void Fsdp::shard(std::size_t layer, const torch::nn::Module& part) {
  shard_into(unit(layer), part);
}

void Fsdp::shard_root(const torch::nn::Module& part) { shard_into(*root_, part); }

void Fsdp::shard_into(Unit& unit, const torch::nn::Module& part) {
  std::vector<Group> groups;
  const auto take = [&](const at::Tensor& tensor, bool buffer) {
    if (owners_.emplace(tensor.unsafeGetTensorImpl(), &unit).second) put(groups, tensor, buffer);
  };
  for (const at::Tensor& parameter : part.parameters()) take(parameter, false);
  for (const at::Tensor& buffer : part.buffers()) take(buffer, true);
  for (Group& group : groups)
    unit.pieces.push_back(
        std::make_unique<Piece>(std::move(group.tensors), group_, options_.offload));
}

void Fsdp::prepare() {
  const auto prepare_piece = [this](Piece& piece) {
    const std::vector<at::Tensor>& tensors = piece.flat.tensors();
    if (std::ranges::any_of(tensors, [&](const at::Tensor& tensor) {
          return tensor.requires_grad() != piece.trained();
        })) {
      throw Error("parameters that were sharded together are partly frozen");
    }
    if (!piece.trained()) return;
    parts_.push_back(piece.flat.part());
    piece.awaited = tensors.size();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      auto accumulator = torch::autograd::impl::grad_accumulator(tensors[i]);
      const auto key =
          accumulator->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
              [this, &piece, i](const auto& outputs, const auto& /*inputs*/) {
                on_gradient(piece, i);
                return outputs;
              }));
      piece.hooks.emplace_back(std::move(accumulator), key);
    }
  };
  for (const auto& piece : root_->pieces) prepare_piece(*piece);
  for (const auto& layer : layers_) {
    for (const auto& piece : layer->pieces) prepare_piece(*piece);
  }
}

void Fsdp::start_gather(Unit& unit) {
  if (std::exchange(unit.there, true)) return;
  for (const auto& piece : unit.pieces)
    unit.gathers.push_back(
        record_->start(ShardCollective::gather, [&] { return piece->flat.start_gather(*group_); }));
}

void Fsdp::gather(Unit& unit) {
  start_gather(unit);
  for (const Started& started : unit.gathers) record_->wait(started);
  unit.gathers.clear();
}

void Fsdp::release(Unit& unit) {
  if (!unit.there) return;
  gather(unit);  // waits for a gather that was prefetched but is not needed
  for (const auto& piece : unit.pieces) piece->flat.release();
  unit.there = false;
}

void Fsdp::before_forward() {
  start_gather(*root_);
  const auto ahead = std::min(layers_.size(), static_cast<std::size_t>(options_.prefetch));
  for (std::size_t i = 0; i < ahead; ++i) start_gather(*layers_[i]);
  gather(*root_);
}

at::Tensor Fsdp::forward(std::size_t layer, const Layer& compute, const at::Tensor& x) {
  const std::size_t end =
      std::min(layers_.size(), layer + 1 + static_cast<std::size_t>(options_.prefetch));
  for (std::size_t i = layer; i < end; ++i) start_gather(*layers_[i]);
  gather(*layers_[layer]);
  at::Tensor y = compute(x);
  if (options_.reshard) release(*layers_[layer]);
  if (!at::GradMode::is_enabled() || !y.requires_grad()) return y;
  // This gradient is ready when the later layer's backward is done and before the earlier one's
  // starts.
  y.register_hook([this, layer](const at::Tensor&) { before_backward(layer); });
  if (layer == 0 && x.requires_grad())
    x.register_hook([this](const at::Tensor&) { release(*layers_.front()); });
  return y;
}

void Fsdp::before_backward(std::size_t layer) {
  if (layer + 1 < layers_.size()) release(*layers_[layer + 1]);
  const std::size_t ahead = std::min(layer, static_cast<std::size_t>(options_.prefetch));
  for (std::size_t i = 0; i <= ahead; ++i) start_gather(*layers_[layer - i]);
  gather(*layers_[layer]);
}

void Fsdp::on_gradient(Piece& piece, std::size_t index) {
  piece.flat.collect_gradient(index);
  if (--piece.awaited > 0) return;
  piece.awaited = piece.flat.tensors().size();
  finish_reductions();  // at most one flat buffer of gradients is being reduced at a time
  reductions_.push_back({&piece, record_->start(ShardCollective::reduction, [&] {
                           return piece.flat.start_reduction(*group_);
                         })});
}

void Fsdp::finish_reductions() {
  for (const Reduction& reduction : reductions_) {
    record_->wait(reduction.started);
    reduction.piece->flat.add_to_part(reduction.started.output);
  }
  reductions_.clear();
}

void Fsdp::after_backward() {
  finish_reductions();
  release();
  const auto complete = [](const std::unique_ptr<Unit>& unit) {
    return std::ranges::all_of(unit->pieces, [](const auto& piece) {
      return !piece->trained() || (piece->awaited == piece->flat.tensors().size() &&
                                   piece->flat.part().grad().defined());
    });
  };
  if (!complete(root_) || !std::ranges::all_of(layers_, complete))
    throw Error("the backward pass gave a trained parameter no gradient");
}

void Fsdp::release() {
  for (const auto& layer : layers_) release(*layer);
  release(*root_);
}

void Fsdp::visit(const std::vector<at::Tensor>& tensors,
                 const std::function<void(const at::Tensor&)>& see) {
  Unit* last = nullptr;
  for (const at::Tensor& tensor : tensors) {
    const auto owner = owners_.find(tensor.unsafeGetTensorImpl());
    Unit* const here = owner == owners_.end() ? nullptr : owner->second;
    if (last != nullptr && last != here) release(*last);
    if (here != nullptr) gather(*here);
    see(tensor);
    last = here;
  }
  if (last != nullptr) release(*last);
}

}  // namespace scalemark::torch_support
