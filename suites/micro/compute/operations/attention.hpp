// SPDX-License-Identifier: Apache-2.0
// Causal attention of a Llama3 layer with grouped heads, as a training calls it.
#pragma once

#include <cstdint>

#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {

/// Of axes model, batch, sequence and fused. Adds the fact `flash`.
Operation attention_operation(Case& c, const at::TensorOptions& options);

/// All s^2 scores are counted.
OperationWork attention_work(const Point& p);

std::uint64_t attention_memory(const Point& p);

}  // namespace scalemark::micro
