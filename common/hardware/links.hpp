// SPDX-License-Identifier: Apache-2.0
// What a node's network and the slot of a device can carry in one direction, as the kernel tells in
// /sys. A link carries as much the other way at the same time.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/hardware/peaks/peak.hpp"

namespace scalemark::hardware {

/// A port of an adapter for InfiniBand or RoCE, or an interface with hardware behind it.
struct NetworkPort {
  std::string kind;       ///< "InfiniBand", "RoCE", "Ethernet", "IP over InfiniBand"
  std::string name;       ///< "mlx5_0", "mlx5_0 port 2", "eth0"
  double bits_per_s = 0;  ///< of data; 0: not known
};

/// Ports that are up: of /sys/class/infiniband and /sys/class/net below `root`. Interfaces without
/// hardware (bridges, tunnels, containers' veth) promise nothing, whatever speed they say. Never
/// throws.
std::vector<NetworkPort> network_ports(const std::filesystem::path& root = "/");

/// All that a node can send over its network at once: the sum over the ports for InfiniBand, or
/// those for RoCE, if there are any; else the one interface, which is also what `sockets` use.
Peak network_peak(std::span<const NetworkPort> ports, bool sockets = false);

/// Rate of a PCIe link of `gigatransfers` a second in each of `width` lanes; its version and width
/// ("5.0 x16") in `source`. Nothing but a reason where PCI Express has no such link.
/// A transfer is a bit a lane. Of them 8 in 10 are data up to 5 GT/s (8b/10b), 128 in 130 up to
/// 32 GT/s (128b/130b), and at 64 GT/s 242 of the 256 bytes of a flit (the others are its CRC and
/// error correction): PCI Express Base Specification, revision 6.0, physical layer. Headers of
/// packets are counted as data.
Peak pcie_rate(double gigatransfers, int width);

/// The link of the device at `pci_bus_id` (dddd:bb:dd.f, lower case): the best that both it and the
/// port above it can do, since either may be faster than the other. Never throws.
Peak pcie_peak(const std::string& pci_bus_id, const std::filesystem::path& root = "/");

}  // namespace scalemark::hardware
