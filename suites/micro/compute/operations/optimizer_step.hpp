// SPDX-License-Identifier: Apache-2.0
// One step of the optimisers of the training suites: SGD with momentum, AdamW; and what a
// fine-tuning does with all gradients before it.
#pragma once

#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {

/// Verifies and times axis `kind`, over parameters as axes parameters and tensors say.
void measure_optimizer(Case& c, const at::TensorOptions& options);

/// SGD reads parameter, gradient and momentum and writes two of them; AdamW has two means. A norm
/// reads the gradients, and scaling writes them, too.
OperationWork optimizer_work(const Point& p);

}  // namespace scalemark::micro
