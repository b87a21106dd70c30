// SPDX-License-Identifier: Apache-2.0
// One operation of a training step with its gradients: checked against its formula, and timed.
#include "suites/micro/compute/operation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "common/core/benchmark.hpp"
#include "common/torch/precision.hpp"
#include "common/torch/setup.hpp"
#include "suites/micro/compute/cache_state.hpp"
#include "suites/micro/launch/enqueued.hpp"

namespace scalemark::micro {
namespace {

/// Unit roundoff of a type, and how many of them a result may be off: sums of many terms in fp32
/// and fp64; in 16 bits some roundings of intermediate results.
struct Roundoff {
  double unit, times;
};

Roundoff roundoff(at::ScalarType type, std::int64_t terms) {
  const double times = std::max(256.0, 4 * std::sqrt(static_cast<double>(terms)));
  switch (type) {
    case at::kDouble:
      return {std::ldexp(1.0, -53), times};
    case at::kFloat:
      return {std::ldexp(1.0, -24), times};
    case at::kHalf:
      return {std::ldexp(1.0, -11), 8};
    default:
      return {std::ldexp(1.0, -8), 8};
  }
}

/// The operation with a place for its results.
class Runner {
 public:
  Runner(const Operation& operation, const torch_support::Passes& passes)
      : operation_(operation), passes_(passes), kept_(operation.forward(operation.inputs)) {
    if (passes.backward) gradient_ = at::randn_like(kept_.detach());
    if (passes.forward) kept_.reset();
  }

  /// First frees the results of the last run, as a step with local variables would.
  void run() {
    results_.clear();
    if (!passes_.forward) {
      results_ = torch::autograd::grad({kept_}, learned(operation_.inputs), {gradient_},
                                       /*retain_graph=*/true);
    } else if (passes_.backward) {
      results_ = forward_and_backward(operation_.forward, operation_.inputs, gradient_);
    } else {
      const at::AutoGradMode grad_mode(passes_.records);
      results_ = {operation_.forward(operation_.inputs)};
    }
  }

  /// What the operations before this pass write in a step: inputs, or the result's gradient.
  Tensors fresh() const {
    if (!passes_.forward) return {gradient_};
    const Tensors& all = operation_.inputs;
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(operation_.fresh_inputs)};
  }

  Case::Checked check() const {
    Tensors wide;
    for (const at::Tensor& input : operation_.inputs) wide.push_back(widened(input));
    Tensors results = results_;  // the result, then the gradients
    if (!passes_.forward) results.insert(results.begin(), kept_);
    results.front() = results.front().detach();
    const Forward formula = [&](const Tensors& inputs) {
      return operation_.formula(inputs, part(results.at(0)));
    };
    const bool train = passes_.backward;
    const Tensors want = train ? forward_and_backward(formula, wide, widened(gradient_))
                               : Tensors{formula(wide).detach()};
    const torch::NoGradGuard no_grad;
    Tensors roundings(want.size());
    if (operation_.roundings)
      roundings = operation_.roundings(wide, train ? widened(gradient_) : at::Tensor());
    Case::Checked checked;
    for (std::size_t i = 0; i < want.size(); ++i)
      checked +=
          compare_with_formula(part(results.at(i)), want[i], roundings.at(i), operation_.terms);
    return checked;
  }

 private:
  using Forward = std::function<at::Tensor(const Tensors&)>;

  static Tensors learned(const Tensors& inputs) {
    Tensors chosen;
    for (const at::Tensor& input : inputs) {
      if (input.requires_grad()) chosen.push_back(input);
    }
    return chosen;
  }

  /// The result, then the gradients.
  static Tensors forward_and_backward(const Forward& forward, const Tensors& inputs,
                                      const at::Tensor& gradient) {
    const at::Tensor result = forward(inputs);
    Tensors all = torch::autograd::grad({result}, learned(inputs), {gradient});
    all.insert(all.begin(), result.detach());
    return all;
  }

  at::Tensor part(const at::Tensor& whole) const {
    return operation_.part ? operation_.part(whole) : whole;
  }

  at::Tensor widened(const at::Tensor& input) const {
    const at::Tensor some = part(input.detach());
    if (!input.is_floating_point()) return some;
    return some.to(at::kDouble, /*non_blocking=*/false, /*copy=*/true)
        .requires_grad_(input.requires_grad());
  }

  const Operation& operation_;
  torch_support::Passes passes_;
  at::Tensor kept_;      ///< the result, where only the gradients are computed
  at::Tensor gradient_;  ///< of the result
  Tensors results_;
};

void measure_operation(Case& c, const Operation& operation, const OperationWork& work) {
  Runner runner(operation, passes_of(c.result().params));
  c.verify(
      fmt::format("result and gradients against the formula in fp64: each element within {:.0f} "
                  "unit roundoffs, in 16 bits 8, of itself and of the {}",
                  roundoff(at::kDouble, operation.terms).times,
                  operation.roundings ? "terms rounded on its way" : "root mean square"),
      [&] { return runner.check(); });
  const bool on_host = operation.inputs.front().device().is_cpu();
  c.work({.bytes = work.bytes,
          .flops = work.flops,
          .precision = c.text("precision"),
          .formula = work.flops > 0 ? operation.flop_formula
                                    : "(bytes of arguments, results and gradients) / time",
          .carrier = on_host ? Carrier::host_memory : Carrier::device_memory});
  time_torch_work(
      c, [&] { runner.run(); }, runner.fresh());
  c.recorder().set_primary(work.flops > 0 ? "achieved_flops" : "bandwidth");
}

}  // namespace

double element_bytes(const std::string& precision) {
  return static_cast<double>(c10::elementSize(torch_support::storage_type(precision)));
}

double operation_bytes(double inputs, double result, double learned,
                       const torch_support::Passes& passes) {
  return passes.sum(inputs + result, inputs + result + learned);
}

torch_support::Passes passes_of(const Point& p) { return torch_support::passes_of(p.text("pass")); }

Case::Checked compare_with_formula(const at::Tensor& got, const at::Tensor& want,
                                   const at::Tensor& roundings, std::int64_t terms) {
  const auto [unit, times] = roundoff(got.scalar_type(), terms);
  const at::Tensor size = roundings.defined() ? roundings : want.square().mean().sqrt(),
                   bound = (want.abs() + size) * (unit * times);
  // Written so that NaN fails.
  const at::Tensor right = (got.to(at::kDouble) - want).abs() <= bound;
  const std::int64_t wrong = right.numel() - right.sum().item<std::int64_t>();
  return {static_cast<std::uint64_t>(right.numel()), static_cast<std::uint64_t>(wrong)};
}

at::TensorOptions prepare_operation(Case& c) {
  const c10::Device device = torch_support::prepare(c);
  return at::TensorOptions().device(device).dtype(torch_support::storage_type(c.text("precision")));
}

void time_torch_work(Case& c, const std::function<void()>& run, const Tensors& fresh) {
  FreshMemory bytes;
  for (const at::Tensor& one : fresh) {
    if (one.device().is_cpu())
      bytes.emplace_back(static_cast<const std::byte*>(one.const_data_ptr()), one.nbytes());
  }
  c.measure(
      [&] {
        run();
        c.device().synchronize();
      },
      with_cache(c, {.metric = "time", .inner = 0, .barrier = false}, bytes));
  DefaultStream stream(c.device());
  measure_enqueued(c, run, stream);
}

void run_operation(Case& c, MakeOperation make, WorkOfPoint work) {
  torch_support::run_body([&] {
    const at::TensorOptions options = prepare_operation(c);
    measure_operation(c, make(c, options), work(c.result().params));
  });
}

void single_pass_axes(Benchmark& benchmark) {
  benchmark.with(cache_axes).compute_axes().rank_local().needs("LibTorch");
}

void pass_axis(Benchmark& benchmark) {
  benchmark
      .axis("pass", {.values = {"forward", "forward_train", "backward", "train"},
                     .defaults = {"forward", "train"}})
      .where([](const Point& p) {
        return p.text("pass") != "train" || p.integer("reuse_distance") == 0;
      });
}

void operation_axes(Benchmark& benchmark) { benchmark.with(single_pass_axes).with(pass_axis); }

std::uint64_t operation_memory(double elements, const std::string& precision) {
  constexpr double kCheck = 6 * sizeof(double);
  return static_cast<std::uint64_t>(elements * (3 * element_bytes(precision) + kCheck));
}

}  // namespace scalemark::micro
