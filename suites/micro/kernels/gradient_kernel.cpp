// SPDX-License-Identifier: Apache-2.0
// Kernel: packs gradients of many tensors into one flat buffer, as sharded training does before its
// reduce-scatter. Nothing is sent.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "common/torch/parallel/flat_shard.hpp"
#include "suites/imaging/model/mobilenet_shape.hpp"
#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::micro::kernels {
namespace {

constexpr int kRanks = 4;

/// Rank 0 of kRanks; stores the input of a reduce-scatter instead of sending it.
class KeepingGroup final : public c10d::ProcessGroup {
 public:
  KeepingGroup() : ProcessGroup(0, kRanks) {}
  c10::intrusive_ptr<c10d::Work> _reduce_scatter_base(at::Tensor&, at::Tensor& input,
                                                      const c10d::ReduceScatterOptions&) override {
    packed = input;
    return {};
  }
  /// The same under its newer name; overrides nothing in LibTorch 2.11.
  c10::intrusive_ptr<c10d::Work> reduce_scatter_single(at::Tensor&, at::Tensor& input,
                                                       const c10d::ReduceScatterOptions&) {
    packed = input;
    return {};
  }
  at::Tensor packed;
};

/// Weights of MobileNetV2's convolutions, each tensor filled with a different value.
std::vector<at::Tensor> make_weights() {
  std::vector<at::Tensor> weights;
  for (const imaging::Convolution& one : imaging::convolutions(224)) {
    const auto value = static_cast<double>(weights.size() + 1);
    weights.push_back(at::full({one.out, one.in / one.groups, one.kernel, one.kernel}, value,
                               at::TensorOptions(at::kFloat)));
  }
  return weights;
}

void run_pack_gradients(benchmark::State& state) {
  at::set_num_threads(1);
  const std::vector<at::Tensor> gradients = make_weights();
  const auto group = c10::make_intrusive<KeepingGroup>();
  torch_support::FlatShard shard(make_weights(), group, false);
  for (auto _ : state) {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      at::Tensor weight = shard.tensors()[i];
      weight.mutable_grad() = gradients[i];
      shard.collect_gradient(i);
    }
    shard.start_reduction(*group);
    benchmark::DoNotOptimize(group->packed.data_ptr());
  }
  const auto* packed = group->packed.const_data_ptr<float>();
  std::uint64_t checked = 0, wrong = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    for (std::int64_t j = 0; j < gradients[i].numel(); ++j, ++checked)
      wrong += packed[checked] == static_cast<float>(i + 1) ? 0 : 1;
  }
  set_checked(state, checked, wrong, "every gradient at its place in the buffer");
  set_work(state, {.bytes = 2.0 * static_cast<double>(checked * sizeof(float))});
}

[[maybe_unused]] const bool kGradientAdded =
    add("pack_gradients", {{"model", std::string("mobilenet_v2")}}, run_pack_gradients);

}  // namespace
}  // namespace scalemark::micro::kernels
