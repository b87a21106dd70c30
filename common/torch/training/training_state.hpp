// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a training between two steps, as safetensors: the parts common to all trainings.
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

/// A checkpoint as read, not yet checked: the shared tensors and this rank's own.
struct SavedTraining {
  NamedTensors shared, own;
};

/// Collective. The checkpoint of this case from an earlier run, if any. Throws InputError if it is
/// damaged.
std::optional<SavedTraining> saved_training(const Case& c);

/// Collective. Stores `shared` (rank 0's) and `own` until the case is finished.
void save_training(Case& c, const NamedTensors& shared, const NamedTensors& own);

/// Throws InputError where `name` is missing.
const at::Tensor& saved_tensor(const NamedTensors& tensors, const std::string& name);

/// Copies `name` over `target`. Throws InputError unless it has the same shape and type.
void copy_saved(at::Tensor target, const NamedTensors& tensors, const std::string& name);

/// States of the random generators that a training on `device` uses: "random.cpu", "random.device".
NamedTensors random_states(c10::Device device);
void restore_random(const NamedTensors& tensors, c10::Device device);

/// Lists of numbers as tensors of int64 or double.
template <typename T>
using StoredNumber = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

/// The values as a tensor of one dimension, for a saved state.
template <typename T>
at::Tensor to_saved(const std::vector<T>& values) {
  using Stored = StoredNumber<T>;
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())},
                                c10::CppTypeToScalarType<Stored>::value);
  std::transform(values.begin(), values.end(), tensor.mutable_data_ptr<Stored>(),
                 [](T value) { return static_cast<Stored>(value); });
  return tensor;
}

/// Throws InputError if `name` is missing or not a list of this type.
template <typename T>
std::vector<T> saved_values(const NamedTensors& tensors, const std::string& name) {
  using Stored = StoredNumber<T>;
  const at::Tensor& saved = saved_tensor(tensors, name);
  if (saved.dim() != 1 || saved.scalar_type() != c10::CppTypeToScalarType<Stored>::value)
    throw InputError("'" + name + "' of the checkpoint is not a list of numbers");
  const auto* data = saved.const_data_ptr<Stored>();
  std::vector<T> values(static_cast<std::size_t>(saved.numel()));
  std::transform(data, data + saved.numel(), values.begin(),
                 [](Stored value) { return static_cast<T>(value); });
  return values;
}

/// Restores a list that to_saved() stored as `name`. Throws InputError as saved_values().
template <typename T>
void restore_values(std::vector<T>& values, const NamedTensors& tensors, const std::string& name) {
  values = saved_values<T>(tensors, name);
}

}  // namespace scalemark::torch_support
