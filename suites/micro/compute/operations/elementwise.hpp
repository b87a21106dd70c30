// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of a Llama3 layer: SwiGLU, rotary positions, residual sums and sums of
// adapters; and sums of any size.
#pragma once

#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {

/// Of axes operation, model, tokens, width, elements and fused.
Operation elementwise_operation(Case& c, const at::TensorOptions& options);

/// A sum hands its gradient on as it is; only the factor of an adapter makes another one.
OperationWork elementwise_work(const Point& p);

std::uint64_t elementwise_memory(const Point& p);

}  // namespace scalemark::micro
