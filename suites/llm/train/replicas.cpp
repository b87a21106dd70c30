// SPDX-License-Identifier: Apache-2.0
// Data parallelism with one all-reduce per step.
#include <utility>

#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/utils.h>

#include "common/base/clock.hpp"
#include "suites/llm/optim/gradient_norm.hpp"
#include "suites/llm/train/parallelism.hpp"

namespace scalemark::llm {
namespace {

constexpr std::size_t kBroadcastBytes = std::size_t{250} << 20;  ///< as in torch_support::Ddp

class Replicas final : public Parallelism {
 public:
  explicit Replicas(torch_support::ProcessGroupPtr group) : group_(std::move(group)) {}

  void add(Llama& model) override {
    parameters_ = trainable_parameters(*model);
    if (group_) {
      const torch::NoGradGuard no_grad;
      c10d::broadcast_coalesced(group_, model->parameters(), kBroadcastBytes);
      if (const auto buffers = model->buffers(); !buffers.empty())
        c10d::broadcast_coalesced(group_, buffers, kBroadcastBytes);
    }
    std::int64_t elements = 0;
    for (const torch::Tensor& parameter : parameters_) elements += parameter.numel();
    gradients_ = torch::zeros({elements}, parameters_.front().options());
    std::int64_t first = 0;
    for (torch::Tensor& parameter : parameters_) {
      parameter.mutable_grad() =
          gradients_.narrow(0, first, parameter.numel()).view(parameter.sizes());
      first += parameter.numel();
    }
  }

  const std::vector<torch::Tensor>& parameters() const override { return parameters_; }
  bool gradients_stay() const override { return true; }
  void before_backward(bool last) override { last_ = last; }
  void after_backward() override {
    if (!last_ || !group_ || group_->getSize() == 1) return;
    const std::uint64_t start = now_ns();
    std::vector<torch::Tensor> all{gradients_};
    group_->allreduce(all)->wait();
    exposed_ = now_ns() - start;
  }
  torch::Tensor gradient_norm() override { return llm::gradient_norm(parameters_); }
  void zero_gradients() override { gradients_.zero_(); }
  Communication take_communication() override {
    return {.exposed = std::exchange(exposed_, 0), .traffic = {}};
  }

 private:
  torch_support::ProcessGroupPtr group_;
  std::vector<torch::Tensor> parameters_;
  torch::Tensor gradients_;  ///< of all parameters, one after the other
  bool last_ = true;
  std::uint64_t exposed_ = 0;
};

}  // namespace

std::unique_ptr<Parallelism> make_replicas(torch_support::ProcessGroupPtr group) {
  return std::make_unique<Replicas>(std::move(group));
}

}  // namespace scalemark::llm
