// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of each token over the vocabulary, as a fine-tuning step calls it.
#pragma once

#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {

/// Of axes kind, vocabulary and tokens: a loss of each token, or the log-probability of a sequence.
Operation cross_entropy_operation(Case& c, const at::TensorOptions& options);

/// Logits, labels of 8 bytes, and a loss of each token, of a sequence one, in at least fp32.
OperationWork cross_entropy_work(const Point& p);

}  // namespace scalemark::micro
