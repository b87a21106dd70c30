// SPDX-License-Identifier: Apache-2.0
// Computes memory bandwidth from the memory modules that the firmware lists.
#include "common/hardware/peaks/memory_peak.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "common/base/small_files.hpp"

namespace scalemark::hardware {
namespace {

/// Memory types of DSP0134, table 78. kDynamic: DDR to DDR5, with the low-power variants.
/// kPersistent: flash and persistent modules, which are not main memory and are left out.
constexpr std::array kDynamic = {0x12, 0x13, 0x18, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x22, 0x23};
constexpr std::array kPersistent = {0x09, 0x1F};
/// NUMA nodes whose memory differs by less than this fraction count as equal: firmware reserves
/// some memory.
constexpr double kUneven = 0.1;

/// The part of a module's location that names its channel, up to the channel's letter or number, in
/// lower case. Examples: "P0 CHANNEL A", "P0_Node0_Channel0_Dimm0", "ChannelA-DIMM0". Empty if it
/// has no word "channel": a letter after "DIMM" means a channel to some makers and a processor to
/// others.
std::string channel_in(std::string_view words) {
  std::string text(words);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  static constexpr std::string_view kWord = "channel";
  const std::size_t word = text.find(kWord);
  if (word == std::string::npos) return "";
  const std::size_t from = text.find_first_not_of(" _-", word + kWord.size());
  if (from == std::string::npos) return "";
  const auto is = [&](std::size_t at, auto test) {
    return at < text.size() && test(static_cast<unsigned char>(text[at])) != 0;
  };
  std::size_t end = from;
  if (is(from, [](int c) { return std::isalpha(c); })) {
    ++end;
  } else {
    while (is(end, [](int c) { return std::isdigit(c); })) ++end;
  }
  if (end == from || is(end, [](int c) { return std::isalnum(c); })) return "";
  return text.substr(0, end);
}

struct Channel {
  double transfers_per_s = 0;
  int data_bits = 0;
  std::set<std::string> places;
  bool operator==(const Channel& other) const {
    return transfers_per_s == other.transfers_per_s && data_bits == other.data_bits;
  }
  double rate() const { return transfers_per_s * data_bits / 8; }
};

/// Why the module's bandwidth is unknown; empty if it is known.
std::string why_not_counted(const MemoryDevice& device) {
  if (std::ranges::find(kDynamic, device.type) == kDynamic.end())
    return fmt::format("unknown kind of memory (SMBIOS type {:#04x})", device.type);
  if (device.transfers_per_s <= 0) return "the firmware does not report the memory's speed";
  if (device.data_bits <= 0) return "the firmware does not report the width of the memory channels";
  return "";
}

std::string channels_text(const std::map<std::string, Channel>& channels) {
  const Channel& first = channels.begin()->second;
  const bool alike =
      std::ranges::all_of(channels, [&](const auto& one) { return one.second == first; });
  if (!alike) return fmt::format("{} unlike memory channels, theoretical", channels.size());
  return fmt::format("{} memory channel{} x {:g} MT/s x {:g} B, theoretical", channels.size(),
                     channels.size() == 1 ? "" : "s", first.transfers_per_s * 1e-6,
                     first.data_bits / 8.0);
}

}  // namespace

HostMemory memory_peak(std::span<const MemoryDevice> devices) {
  std::vector<MemoryDevice> counted;
  for (const MemoryDevice& device : devices) {
    if (std::ranges::find(kPersistent, device.type) == kPersistent.end()) counted.push_back(device);
  }
  if (counted.empty()) return {unknown_peak("the firmware lists no memory (SMBIOS type 17)")};
  std::map<std::string, Channel> channels;
  for (const MemoryDevice& device : counted) {
    if (const std::string why = why_not_counted(device); !why.empty()) return {unknown_peak(why)};
    std::string name = channel_in(device.bank);
    if (name.empty()) name = channel_in(device.locator);
    if (name.empty())
      return {unknown_peak("the firmware does not report which memory modules share a channel")};
    const Channel mine{device.transfers_per_s, device.data_bits, {}};
    Channel& channel = channels.emplace(name, mine).first->second;
    if (!channel.places.insert(device.locator).second)
      return {unknown_peak("the firmware reports the same location for several memory modules")};
    if (!(channel == mine))
      return {unknown_peak("the modules of a memory channel differ in speed or width")};
  }
  HostMemory host{{0, channels_text(channels), {}}, static_cast<int>(channels.size())};
  for (const auto& [name, channel] : channels) host.peak.value += channel.rate();
  return host;
}

HostMemory read_memory_peak(const std::filesystem::path& root) {
  // The list of memory modules in a virtual machine is invented by the hypervisor.
  if (field_of(root, "proc/cpuinfo", "flags", ':').find(" hypervisor") != std::string::npos)
    return {unknown_peak("this virtual machine hides the host's memory; set --peak")};
  const MemoryDevices found = read_memory_devices(root);
  return found.problem.empty() ? memory_peak(found.devices)
                               : HostMemory{unknown_peak(found.problem)};
}

Peak numa_memory_peak(const HostMemory& host, const Machine& machine) {
  if (!host.peak.is_known()) return host.peak;
  const auto nodes = static_cast<int>(machine.numa.size());
  if (nodes == 0) return unknown_peak("the machine's NUMA nodes are unknown");
  if (nodes == 1) return host.peak;
  const auto [least, most] = std::ranges::minmax_element(machine.numa, {}, &NumaNode::memory_bytes);
  const auto difference = static_cast<double>(most->memory_bytes - least->memory_bytes);
  if (host.channels % nodes != 0 || difference > kUneven * static_cast<double>(most->memory_bytes))
    return unknown_peak("the memory channels of a NUMA node are unknown");
  return {host.peak.value / nodes,
          fmt::format("one of {} NUMA nodes of {}", nodes, host.peak.source),
          {}};
}

}  // namespace scalemark::hardware
