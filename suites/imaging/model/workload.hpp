// SPDX-License-Identifier: Apache-2.0
// The operations of a training step of MobileNetV2, as rows of suite micro.
#pragma once

#include <string>

#include "common/core/workload.hpp"

namespace scalemark::imaging {

/// The operations of one step of imaging/train at `point`. Left out, for want of rows: dropout, and
/// casts of an autocast in 16 bits.
Workload training_workload(const Point& point);

/// Why the operations of a step do not follow from the axes; empty if they do.
std::string why_unknown_operations(const Point& point);

/// What DDP exchanges in a step: gradients, and with `broadcast_buffers` the statistics of the
/// normalisations. Empty for strategies of one process.
Workload training_communication(const Point& point);

}  // namespace scalemark::imaging
