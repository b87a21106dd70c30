// SPDX-License-Identifier: Apache-2.0
// Peak rates per direction of a node's network ports and of a device's PCIe link, read from /sys.
// Links are full duplex: the other direction has the same rate at the same time.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/hardware/peaks/peak.hpp"

namespace scalemark::hardware {

/// A port of an InfiniBand or RoCE adapter, or a network interface of a physical device.
struct NetworkPort {
  std::string kind;       ///< "InfiniBand", "RoCE", "Ethernet", "IP over InfiniBand"
  std::string name;       ///< "mlx5_0", "mlx5_0 port 2", "eth0"
  double bits_per_s = 0;  ///< data rate; 0 if unknown
};

/// Ports that are up, from /sys/class/infiniband and /sys/class/net below `root`. Virtual
/// interfaces (bridges, tunnels, veth of containers) are left out: the speed that they report means
/// nothing. Never throws.
std::vector<NetworkPort> network_ports(const std::filesystem::path& root = "/");

/// Peak rate of a node's network in one direction, in B/s. With InfiniBand or RoCE ports it is the
/// sum over them. Otherwise, or with `sockets` (traffic over TCP), it is the rate of the only
/// network interface. Unknown if several kinds of network or several interfaces could be used.
Peak network_peak(std::span<const NetworkPort> ports, bool sockets = false);

/// Peak rate of a PCIe link with `width` lanes of `gigatransfers` GT/s, in B/s; `source` names
/// version and width ("5.0 x16"). Unknown if PCI Express defines no such link.
/// One transfer carries one bit per lane. Share of data bits: 8/10 up to 5 GT/s (8b/10b encoding),
/// 128/130 up to 32 GT/s (128b/130b), and 242/256 at 64 GT/s (flits with CRC and error correction).
/// Source: PCI Express Base Specification, revision 6.0, physical layer. Packet headers count as
/// data.
Peak pcie_rate(double gigatransfers, int width);

/// Peak rate of the PCIe link of the device at `pci_bus_id` (dddd:bb:dd.f, lower case): the highest
/// speed and width that both the device and the port above it support. Never throws.
Peak pcie_peak(const std::string& pci_bus_id, const std::filesystem::path& root = "/");

}  // namespace scalemark::hardware
