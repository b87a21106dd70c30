// SPDX-License-Identifier: Apache-2.0
// Checks of forward and backward passes, SGD and data parallelism against imaging golden files.
#pragma once

#include "suites/imaging/golden/golden_model.hpp"

namespace scalemark::imaging {

/// Default tolerances of the golden format: absolute for logits and loss, relative L2 norm for
/// gradients.
struct Tolerance {
  double logits, loss, gradient;
};
inline constexpr Tolerance kFp64{1e-11, 1e-11, 1e-11}, kFp32{3e-4, 1e-4, 3e-2};

/// One entry of `cases`: logits, losses, gradients, buffers in eval and train mode, and `sgd`.
void check_case(const GoldenContext& context, const Field& entry);
/// Checks one entry of `sgd` of the case `entry`.
void check_sgd(const GoldenContext& context, const Field& entry, const Field& sgd);
/// Checks `data_parallel`: the mean of the ranks' gradients, with batch statistics frozen and in
/// training mode.
void check_data_parallel(const GoldenContext& context, const Field& entry);

/// Checks value <= bound for a field that stores the library's own error.
void check_bound(const GoldenContext& context, const Field& field, double value, double bound);
/// Checks {all_running_mean, all_running_var, num_batches_tracked} of a network.
void check_buffers(const GoldenContext& context, const Field& want, const MobileNetV2& network,
                   double tolerance);

}  // namespace scalemark::imaging
