// SPDX-License-Identifier: Apache-2.0
// The rank that loses most bandwidth when all ranks copy at the same time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A rank's bandwidth with all ranks copying, compared with copying alone.
struct DeviceLoss {
  std::size_t rank = 0;
  std::string place;   ///< host and NUMA node: "node1 numa 0"
  std::string device;  ///< PCI address, or "host"
  double loss = 0;     ///< 1 - bandwidth with all ranks copying / bandwidth alone
};

/// The rank with the largest loss in table `devices` of a case. Nothing if that loss is at most
/// 10 %, the case is not ok, or it has no such table.
std::optional<DeviceLoss> device_loss(const CaseResult& result);

/// "with all ranks copying, rank 3 (0000:18:00.0, node1, NUMA 0) loses 41 % of its bandwidth".
/// Without the PCI address if the device is the host.
std::string loss_text(const DeviceLoss& loss);

}  // namespace scalemark::analysis
