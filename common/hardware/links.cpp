// SPDX-License-Identifier: Apache-2.0
// Reads the rates of network ports and PCIe links from /sys.
#include "common/hardware/links.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/base/small_files.hpp"
#include "common/base/text.hpp"

namespace scalemark::hardware {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxEntries = 4096, kMaxName = 64, kMaxLine = 128;
/// 10 Tb/s: higher values are treated as wrong.
constexpr double kMaxBits = 1e13;

/// First line of a small file; empty if it cannot be read or is too long.
std::string short_line(const fs::path& path) {
  std::ifstream file(path);
  std::array<char, kMaxLine> line{};
  file.getline(line.data(), line.size());
  return file.fail() ? std::string() : text::printable(line.data(), kMaxLine);
}

/// Removes the decimal number at the start of `text` and returns it; nothing if there is none.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return value;
}

/// The integer that a file holds; 0 if it holds anything else.
std::int64_t whole_number(const fs::path& path) {
  const std::string line = short_line(path);
  std::int64_t value = 0;
  const char* const end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data(), end, value);
  return error == std::errc() && rest == end ? value : 0;
}

/// Data rate in bit/s of a text such as "100 Gb/sec (4X EDR)"; 0 if the text is not understood.
/// With SDR, DDR and QDR the text is the signalling rate, of which 8/10 are data (8b/10b). FDR
/// means 14.0625 Gb/s per lane, of which 64/66 are data. Later generations, and RoCE always, state
/// the data rate. Source: InfiniBand Architecture Specification, volume 2.
double infiniband_bits(const std::string& rate, bool roce) {
  std::string_view text = rate;
  const std::optional<double> giga = take_number(text);
  if (!giga || !text.starts_with(" Gb/sec")) return 0;
  const auto is = [&](std::string_view name) {
    return text.ends_with(fmt::format("X {})", name)) || (name == "SDR" && text.ends_with("X)"));
  };
  double data = 1;
  if (!roce && (is("SDR") || is("DDR") || is("QDR"))) data = 0.8;
  if (!roce && is("FDR")) data = 14.0625 / 14 * 64 / 66;
  const double bits = *giga * 1e9 * data;
  return bits > 0 && bits <= kMaxBits ? bits : 0;
}

/// Whether an interface or adapter is virtual: no hardware device behind it.
bool is_virtual(const fs::path& adapter) {
  std::error_code error;
  const std::string real = fs::canonical(adapter, error).generic_string();
  return error || real.find("/devices/virtual/") != std::string::npos ||
         !fs::exists(adapter / "device", error);
}

void add_infiniband(const fs::path& root, std::vector<NetworkPort>& ports) {
  const fs::path adapters = root / "sys/class/infiniband";
  for (const std::string& adapter : names_in(adapters, kMaxEntries)) {
    if (is_virtual(adapters / adapter)) continue;
    for (const std::string& number : names_in(adapters / adapter / "ports", kMaxEntries)) {
      const fs::path folder = adapters / adapter / "ports" / number;
      // The file contains, for example, "4: ACTIVE".
      if (!short_line(folder / "state").ends_with("ACTIVE")) continue;
      const std::string layer = short_line(folder / "link_layer");
      const bool roce = layer == "Ethernet";
      if (!roce && layer != "InfiniBand") continue;
      const std::string name = text::printable(adapter, kMaxName);
      ports.push_back(
          {roce ? "RoCE" : "InfiniBand",
           number == "1" ? name : fmt::format("{} port {}", name, text::printable(number, 8)),
           infiniband_bits(short_line(folder / "rate"), roce)});
    }
  }
}

void add_interfaces(const fs::path& root, std::vector<NetworkPort>& ports) {
  const fs::path interfaces = root / "sys/class/net";
  for (const std::string& name : names_in(interfaces, kMaxEntries)) {
    const fs::path folder = interfaces / name;
    if (is_virtual(folder) || short_line(folder / "operstate") != "up") continue;
    // 32 is ARPHRD_INFINIBAND.
    const bool infiniband = short_line(folder / "type") == "32";
    // Mb/s; -1 if the adapter does not report it.
    const double bits = static_cast<double>(whole_number(folder / "speed")) * 1e6;
    ports.push_back({infiniband ? "IP over InfiniBand" : "Ethernet",
                     text::printable(name, kMaxName), bits > 0 && bits <= kMaxBits ? bits : 0});
  }
}

std::string rate_text(double bits_per_s) { return fmt::format("{:.4g} Gb/s", bits_per_s * 1e-9); }

/// Text of port rates: "8 x 400 Gb/s", or "mlx5_0 200 Gb/s + mlx5_1 100 Gb/s" if they differ.
std::string ports_text(std::span<const NetworkPort> ports) {
  const double first = ports.front().bits_per_s;
  const bool alike =
      std::ranges::all_of(ports, [&](const NetworkPort& port) { return port.bits_per_s == first; });
  if (alike && ports.size() > 1) return fmt::format("{} x {}", ports.size(), rate_text(first));
  std::vector<std::string> parts;
  for (const NetworkPort& port : ports)
    parts.push_back(fmt::format("{} {}", port.name, rate_text(port.bits_per_s)));
  return text::join(parts, " + ");
}

/// Speed and width of one end of a PCIe link; 0 if not reported.
struct PcieEnd {
  double gigatransfers = 0;
  int width = 0;
};

/// `which`: "max" or "current".
PcieEnd pcie_end(const fs::path& device, const char* which) {
  PcieEnd end;
  // "32.0 GT/s PCIe", in older kernels "8 GT/s"; "Unknown" if the device has no PCIe link.
  const std::string speed = short_line(device / fmt::format("{}_link_speed", which));
  std::string_view text = speed;
  const std::optional<double> giga = take_number(text);
  if (giga && text.starts_with(" GT/s") && *giga > 0) end.gigatransfers = *giga;
  const std::int64_t width = whole_number(device / fmt::format("{}_link_width", which));
  if (width >= 1 && width <= 32) end.width = static_cast<int>(width);
  return end;
}

bool is_pci_address(const std::string& text) {
  return text.size() >= 12 && text.size() <= 16 &&
         text.find_first_not_of("0123456789abcdef:.") == std::string::npos &&
         text.find("..") == std::string::npos;
}

}  // namespace

std::vector<NetworkPort> network_ports(const fs::path& root) {
  std::vector<NetworkPort> ports;
  add_infiniband(root, ports);
  add_interfaces(root, ports);
  return ports;
}

Peak network_peak(std::span<const NetworkPort> ports, bool sockets) {
  std::vector<NetworkPort> fabrics, interfaces;
  for (const NetworkPort& port : ports)
    (port.kind == "InfiniBand" || port.kind == "RoCE" ? fabrics : interfaces).push_back(port);
  const bool fabric = !sockets && !fabrics.empty();
  const std::vector<NetworkPort>& used = fabric ? fabrics : interfaces;
  if (used.empty()) return unknown_peak("no network adapter in /sys");
  std::set<std::string> kinds;
  for (const NetworkPort& port : used) kinds.insert(port.kind);
  if (kinds.size() > 1 || (!fabric && used.size() > 1))
    return unknown_peak("several networks: the one in use is unknown");
  double bits = 0;
  for (const NetworkPort& port : used) {
    if (port.bits_per_s <= 0)
      return unknown_peak(fmt::format("{} {} does not report its rate", port.kind, port.name));
    bits += port.bits_per_s;
  }
  return {bits / 8, fmt::format("{} {}, theoretical", *kinds.begin(), ports_text(used)), {}};
}

Peak pcie_rate(double gigatransfers, int width) {
  struct Version {
    double gigatransfers;
    const char* name;
    double data;  ///< share of data in the transferred bits
  };
  static constexpr std::array kVersions = {
      Version{2.5, "1.0", 8.0 / 10},   Version{5, "2.0", 8.0 / 10},
      Version{8, "3.0", 128.0 / 130},  Version{16, "4.0", 128.0 / 130},
      Version{32, "5.0", 128.0 / 130}, Version{64, "6.0", 242.0 / 256}};
  static constexpr std::array kWidths = {1, 2, 4, 8, 12, 16, 32};
  const auto* const version = std::ranges::find(kVersions, gigatransfers, &Version::gigatransfers);
  if (version == kVersions.end() || std::ranges::find(kWidths, width) == kWidths.end())
    return unknown_peak(
        fmt::format("unknown PCIe rate: {:g} GT/s, {} lanes", gigatransfers, width));
  return {gigatransfers * 1e9 * version->data * width / 8,
          fmt::format("PCIe {} x{}, theoretical", version->name, width),
          {}};
}

Peak pcie_peak(const std::string& pci_bus_id, const fs::path& root) {
  std::error_code error;
  const fs::path link = root / "sys/bus/pci/devices" / pci_bus_id;
  const fs::path device = is_pci_address(pci_bus_id) ? fs::canonical(link, error) : fs::path();
  if (error || device.empty())
    return unknown_peak(
        fmt::format("no PCI device {} in /sys", text::printable(pci_bus_id, kMaxName)));
  const PcieEnd own = pcie_end(device, "max"), port = pcie_end(device.parent_path(), "max");
  const auto is_told = [](const PcieEnd& end) { return end.gigatransfers > 0 && end.width > 0; };
  if (!is_told(own))
    return unknown_peak(fmt::format("{} does not report its PCIe link", pci_bus_id));
  if (!is_told(port))
    return unknown_peak(fmt::format("the PCIe port above {} does not report its link", pci_bus_id));
  const PcieEnd both{std::min(own.gigatransfers, port.gigatransfers),
                     std::min(own.width, port.width)};
  // A hypervisor may emulate a port that reports less than the real link carries.
  const PcieEnd now = pcie_end(device, "current");
  if (now.gigatransfers > both.gigatransfers || now.width > both.width)
    return unknown_peak(
        fmt::format("the PCIe port above {} reports a slower link than is in use", pci_bus_id));
  return pcie_rate(both.gigatransfers, both.width);
}

}  // namespace scalemark::hardware
