// SPDX-License-Identifier: Apache-2.0
// The state of a training between two steps, as safetensors: what all trainings have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "common/base/error.hpp"
#include "common/core/case.hpp"
#include "common/torch/files/safetensors.hpp"

namespace scalemark::torch_support {

/// A state that was read back, not yet looked into: what all ranks share, and this rank's own.
struct SavedTraining {
  NamedTensors shared, own;
};

/// Collective. What an earlier run left of this case, if anything. Throws InputError if that is
/// damaged.
std::optional<SavedTraining> saved_training(const Case& c);

/// Collective. Keeps `shared` (rank 0's) and `own` until the case is finished.
void save_training(Case& c, const NamedTensors& shared, const NamedTensors& own);

/// Throws InputError where `name` is missing.
const at::Tensor& saved_tensor(const NamedTensors& tensors, const std::string& name);

/// Copies `name` over `target`. Throws InputError unless it has the same shape and type.
void copy_saved(at::Tensor target, const NamedTensors& tensors, const std::string& name);

/// States of the generators of random numbers that a training on `device` draws from: "random.cpu",
/// "random.device".
NamedTensors random_states(c10::Device device);
void restore_random(const NamedTensors& tensors, c10::Device device);

/// Lists of numbers: as int64 or double.
template <typename T>
using StoredNumber = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

template <typename T>
at::Tensor to_saved(const std::vector<T>& values) {
  using Stored = StoredNumber<T>;
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())},
                                c10::CppTypeToScalarType<Stored>::value);
  std::transform(values.begin(), values.end(), tensor.mutable_data_ptr<Stored>(),
                 [](T value) { return static_cast<Stored>(value); });
  return tensor;
}

/// Throws InputError where `name` is missing or no such list.
template <typename T>
std::vector<T> saved_values(const NamedTensors& tensors, const std::string& name) {
  using Stored = StoredNumber<T>;
  const at::Tensor& saved = saved_tensor(tensors, name);
  if (saved.dim() != 1 || saved.scalar_type() != c10::CppTypeToScalarType<Stored>::value)
    throw InputError("'" + name + "' of the saved state is no list of numbers");
  const auto* data = saved.const_data_ptr<Stored>();
  std::vector<T> values(static_cast<std::size_t>(saved.numel()));
  std::transform(data, data + saved.numel(), values.begin(),
                 [](Stored value) { return static_cast<T>(value); });
  return values;
}

}  // namespace scalemark::torch_support
