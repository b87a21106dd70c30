// SPDX-License-Identifier: Apache-2.0
// Types of tensors in tests.
#pragma once

#include <torch/types.h>

namespace scalemark::llm {

inline const torch::TensorOptions kFloat = torch::TensorOptions().dtype(torch::kFloat32);
inline const torch::TensorOptions kDouble = torch::TensorOptions().dtype(torch::kFloat64);

}  // namespace scalemark::llm
