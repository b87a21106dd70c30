// SPDX-License-Identifier: Apache-2.0
// Data parallelism in one process: a thread and a copy of the model for each device.
#pragma once

#include <memory>

#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {

/// See make_trainer(). The batch is divided as evenly as at::chunk does; a batch smaller than the
/// number of replicas leaves some without work. The gradient is that of the mean loss over the
/// whole batch, as of one device with the whole batch (apart from batch normalisation, whose
/// statistics are each replica's own; those of the first one are kept).
///   data_parallel_replicate: in each step the parameters are allocated and copied anew for every
///     other device, the batch goes to the first device and from there to the others, the logits
///     come back to the first, which computes the loss (torch::nn::parallel::data_parallel);
///   data_parallel_persistent: the same with copies that stay and are overwritten;
///   data_parallel_device_scatter: copies that stay; each device gets its part of the batch from
///     the host and computes its own loss.
/// On a CPU the devices are threads with a copy of the model each.
std::unique_ptr<Trainer> make_data_parallel_trainer(std::shared_ptr<MobileNetV2> model,
                                                    const TrainerOptions& options);

}  // namespace scalemark::imaging
