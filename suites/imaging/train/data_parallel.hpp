// SPDX-License-Identifier: Apache-2.0
// Data parallelism in one process: one thread and one copy of the model per device.
#pragma once

#include <memory>

#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {

/// See make_trainer(). The batch is divided as by at::chunk; with fewer samples than replicas, some
/// replicas have no work. The gradient is that of the mean loss over the whole batch, as on one
/// device. Only batch normalisation differs: each replica has its own statistics, and those of the
/// first are kept.
///   data_parallel_replicate: each step allocates and copies the parameters for every other
///     device. The batch goes to the first device and from there to the others. The logits return
///     to the first, which computes the loss (torch::nn::parallel::data_parallel).
///   data_parallel_persistent: the same, but the copies are kept and overwritten.
///   data_parallel_device_scatter: the copies are kept; each device receives its part of the
///     batch from the host and computes its own loss.
/// On a CPU the devices are threads with one copy of the model each.
std::unique_ptr<Trainer> make_data_parallel_trainer(std::shared_ptr<MobileNetV2> model,
                                                    const TrainerOptions& options);

}  // namespace scalemark::imaging
