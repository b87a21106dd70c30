// SPDX-License-Identifier: Apache-2.0
// One operation of a training step with its gradients: checked against its formula, and timed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include "common/core/case.hpp"
#include "common/core/workload.hpp"
#include "common/torch/passes.hpp"

namespace scalemark {
class Benchmark;
}

namespace scalemark::micro {

using Tensors = std::vector<at::Tensor>;

struct Operation {
  /// Arguments; those that require a gradient get one in axis pass=train.
  Tensors inputs;
  /// As a training calls it.
  std::function<at::Tensor(const Tensors&)> forward;
  /// So many of the first inputs have just been written in a step. Others are parameters.
  std::size_t fresh_inputs = 1;
  /// The same from elementary operators, for inputs in fp64. `result` is what forward() gave:
  /// rounding decides on which side of a kink an element is.
  std::function<at::Tensor(const Tensors&, const at::Tensor& result)> formula;
  /// The part of an input, a result or a gradient that is compared with the formula; the parts of
  /// the results depend on those of the inputs alone. Empty: all of it.
  std::function<at::Tensor(const at::Tensor&)> part = {};
  /// Sizes of the roundings that enter each element of the result and the gradients, divided by a
  /// unit roundoff, from inputs and the result's gradient in fp64 (empty without gradients). Empty:
  /// the root mean square of all elements together.
  std::function<Tensors(const Tensors&, const at::Tensor& gradient)> roundings = {};
  /// Terms of the longest sum, such as the pixels of a channel: LibTorch may add them one by one,
  /// so that roundings grow with the root of their number. 0: of no consequence.
  std::int64_t terms = 0;
  std::string flop_formula = {};  ///< "4 b h s^2 e / time", where its work has FLOPs
};

/// Bytes of an element in a precision of the axis.
double element_bytes(const std::string& precision);

/// Bytes of an operation's work: inputs and result once in each pass, and backward the gradients of
/// `learned`, the inputs that have some.
double operation_bytes(double inputs, double result, double learned,
                       const torch_support::Passes& passes);

/// Axis `pass` of a point.
torch_support::Passes passes_of(const Point& p);

/// Prepares LibTorch for the case. Device and type (axis `precision`) of its tensors.
at::TensorOptions prepare_operation(Case& c);

/// Times `run`, which starts LibTorch's work on the case's device: each call with what it leaves to
/// a GPU (metric time), then the GPU and the host alone (event_time, issue_time). `fresh`: what the
/// operations before have just written in a step, for axis `reuse_distance`.
void time_torch_work(Case& c, const std::function<void()>& run, const Tensors& fresh = {});

/// Makes the operation of a case, with tensors of such options.
using MakeOperation = Operation (*)(Case& c, const at::TensorOptions& options);

/// What one call of the operation of a point computes and moves.
using WorkOfPoint = OperationWork (*)(const Point& point);

/// Times the passes of axis `pass`, backward for a given gradient of the result. Verified: result
/// and gradients against the formula in fp64.
void run_operation(Case& c, MakeOperation make, WorkOfPoint work);

/// Declares axes `cache`, `reuse_distance`, `device` and `threads`. Each rank works by itself, with
/// LibTorch.
void single_pass_axes(Benchmark& benchmark);

/// Declares axis `pass` (torch_support::passes_of()). A step has the two passes of train far apart,
/// so that it has no reuse distance. Needs cache_axes().
void pass_axis(Benchmark& benchmark);

/// Both of these.
void operation_axes(Benchmark& benchmark);

/// Elements of `got` that differ from those of `want`, fp64, by more than 256 unit roundoffs of
/// their type (in 16 bits 8), relative to the element and `roundings`, which has the shape of both
/// (undefined: the root mean square of all elements together). Of sums of many `terms` in fp32 and
/// fp64 by more than four times the root of their number, if that is more.
Case::Checked compare_with_formula(const at::Tensor& got, const at::Tensor& want,
                                   const at::Tensor& roundings = {}, std::int64_t terms = 0);

/// Estimate of the memory of an operation whose tensors have so many elements in all: the tensors,
/// their gradients, and the check in fp64.
std::uint64_t operation_memory(double elements, const std::string& precision);

}  // namespace scalemark::micro
