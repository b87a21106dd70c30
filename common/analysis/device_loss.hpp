// SPDX-License-Identifier: Apache-2.0
// The device that loses most when all of them work at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::analysis {

struct DeviceLoss {
  std::size_t rank = 0;
  std::string place;   ///< node and NUMA node
  std::string device;  ///< PCI address, or "host"
  double loss = 0;     ///< part of its bandwidth alone, 0 to 1
};

/// From table `devices` of a case: the rank that loses most, if that is more than 10 %.
std::optional<DeviceLoss> device_loss(const CaseResult& result);

/// "with all ranks copying, rank 3 (0000:18:00.0, node1, NUMA 0) drops 41 % in bandwidth"; a rank
/// without a device has no address.
std::string loss_text(const DeviceLoss& loss);

}  // namespace scalemark::analysis
