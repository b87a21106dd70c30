// SPDX-License-Identifier: Apache-2.0
// Memory of a host from the firmware's table: whole ones, broken ones, and what they do not tell.
#include "common/hardware/peaks/memory_peak.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/common/hardware/planted_sys.hpp"

namespace scalemark::hardware {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kDdr4 = 0x1A, kDdr5 = 0x22, kFlash = 0x09, kRam = 0x07;

struct Module {
  std::string locator, bank;
  unsigned mega = 3200, bits = 64, size = 0x7FFF;
  std::uint8_t type = kDdr4;
};

void put(Bytes& fields, std::size_t at, unsigned value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    fields[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

/// A structure of type 17 as SMBIOS 3.3 has it (92 bytes), or cut to an older one's length.
Bytes structure(const Module& module, std::size_t length = 92) {
  Bytes all(92);
  put(all, 0, 17, 1);
  put(all, 1, static_cast<unsigned>(length), 1);
  put(all, 0x0A, module.bits, 2);
  put(all, 0x0C, module.size, 2);
  put(all, 0x10, 1, 1);
  put(all, 0x11, module.bank.empty() ? 0 : 2, 1);
  put(all, 0x12, module.type, 1);
  put(all, 0x15, 4800, 2);  // what it could do
  const bool is_long = module.mega >= 0xFFFF;
  put(all, 0x20, is_long ? 0xFFFF : module.mega, 2);
  put(all, 0x58, is_long ? module.mega : 0, 4);
  all.resize(length);
  for (const std::string& text : {module.locator, module.bank}) {
    if (text.empty()) continue;
    all.insert(all.end(), text.begin(), text.end());
    all.push_back(0);
  }
  all.push_back(0);
  return all;
}

/// Something else in front, and what ends the table.
Bytes table(const std::vector<Module>& modules) {
  Bytes all = {1, 6, 0, 0, 9, 9, 'x', 0, 'y', 0, 0};
  for (const Module& module : modules) {
    const Bytes one = structure(module);
    all.insert(all.end(), one.begin(), one.end());
  }
  const Bytes end = {127, 4, 0, 0, 0, 0, 'j', 'u', 'n', 'k'};
  all.insert(all.end(), end.begin(), end.end());
  return all;
}

HostMemory peak_of(const std::vector<Module>& modules) {
  const MemoryDevices found = memory_devices(table(modules));
  EXPECT_EQ(found.problem, "");
  return memory_peak(found.devices);
}

std::string missing(const std::vector<Module>& modules) {
  const HostMemory found = peak_of(modules);
  EXPECT_EQ(found.peak.value, 0);
  return found.peak.missing;
}

TEST(MemoryPeak, CountsChannelsAndNotModules) {
  const HostMemory two = peak_of({{"DIMM 0", "P0 CHANNEL A"},
                                  {"DIMM 1", "P0 CHANNEL A"},
                                  {"DIMM 0", "P0 CHANNEL B"},
                                  {"DIMM 1", "P0 CHANNEL B"}});
  EXPECT_DOUBLE_EQ(two.peak.value, 2 * 25.6e9);
  EXPECT_EQ(two.channels, 2);
  EXPECT_EQ(two.peak.source, "2 memory channels x 3200 MT/s x 8 B, theoretical");
  EXPECT_EQ(two.peak.missing, "");
  EXPECT_EQ(peak_of({{"DIMM 0", "P0 CHANNEL A"}, {"DIMM 0", "P1 CHANNEL A"}}).channels, 2)
      << "of two processors";
}

TEST(MemoryPeak, MakersNameChannelsInTheirWays) {
  EXPECT_EQ(peak_of({{"P1-DIMMA1", "P0_Node0_Channel0_Dimm0"},
                     {"P1-DIMMA2", "P0_Node0_Channel0_Dimm1"},
                     {"P1-DIMMB1", "P0_Node0_Channel1_Dimm0"},
                     {"P2-DIMMA1", "P1_Node1_Channel0_Dimm0"}})
                .channels,
            3);
  EXPECT_EQ(peak_of({{"ChannelA-DIMM0", "BANK 0"},
                     {"ChannelA-DIMM1", "BANK 1"},
                     {"ChannelB-DIMM0", "BANK 2"}})
                .channels,
            2);
  EXPECT_EQ(peak_of({{"a", "CHANNEL 10"}, {"a", "CHANNEL 1"}}).channels, 2);
}

TEST(MemoryPeak, EmptySlotsAndPersistentModulesDoNotCount) {
  const HostMemory found = peak_of({{"0", "CHANNEL A", 4800, 64, 0x7FFF, kDdr5},
                                    {"1", "CHANNEL A", 0, 64, 0, 0x02},
                                    {"BIOS", "nowhere", 0, 0xFFFF, 16, kFlash}});
  EXPECT_DOUBLE_EQ(found.peak.value, 38.4e9);
  EXPECT_EQ(found.peak.source, "1 memory channel x 4800 MT/s x 8 B, theoretical");
}

TEST(MemoryPeak, ChannelsMayRunApart) {
  const HostMemory found = peak_of({{"0", "CHANNEL A", 3200}, {"0", "CHANNEL B", 1600}});
  EXPECT_DOUBLE_EQ(found.peak.value, 38.4e9);
  EXPECT_EQ(found.peak.source, "2 unlike memory channels, theoretical");
  EXPECT_DOUBLE_EQ(peak_of({{"0", "CHANNEL A", 70000}}).peak.value, 560e9) << "the longer field";
}

TEST(MemoryPeak, WhatTheFirmwareDoesNotTellIsNotGuessed) {
  const std::string shared = "the firmware does not report which memory modules share a channel";
  EXPECT_EQ(missing({{"A1", "Not Specified"}, {"A2", "Not Specified"}}), shared);
  EXPECT_EQ(missing({{"DIMM_A1", "NODE 1"}, {"DIMM_B1", "NODE 1"}}), shared);
  EXPECT_EQ(missing({{"DIMM 0", "CHANNEL A"}, {"DIMM 1", ""}}), shared);
  EXPECT_EQ(missing({{"0", "channels"}, {"1", "channel"}}), shared);
  EXPECT_EQ(missing({{"0", "channel A1"}, {"1", "channel A2"}}), shared);
  EXPECT_EQ(missing({{"DIMM 0", "not told"}}), shared)
      << "made up for a guest, it may be one of 12";
  EXPECT_EQ(missing({{"ChannelA_Dimm1", "NODE 1"}, {"ChannelA_Dimm1", "NODE 2"}}),
            "the firmware reports the same location for several memory modules");
  EXPECT_EQ(missing({{"0", "CHANNEL A", 3200}, {"1", "CHANNEL A", 2933}}),
            "the modules of a memory channel differ in speed or width");
  EXPECT_EQ(missing({{"0", "CHANNEL A", 0}}), "the firmware does not report the memory's speed");
  EXPECT_EQ(missing({{"0", "CHANNEL A", 2'000'000'000}}),
            "the firmware does not report the memory's speed");
  EXPECT_EQ(missing({{"0", "CHANNEL A", 3200, 0xFFFF}}),
            "the firmware does not report the width of the memory channels");
  EXPECT_EQ(missing({{"0", "CHANNEL A", 3200, 64, 1024, kRam}}),
            "unknown kind of memory (SMBIOS type 0x07)");
  EXPECT_EQ(missing({{"0", "CHANNEL A", 3200, 64, 1024, kFlash}}),
            "the firmware lists no memory (SMBIOS type 17)");
}

TEST(MemoryDevices, AnOlderStructureEndsBeforeTheSpeed) {
  const Bytes old = structure({"0", "CHANNEL A"}, 0x1B);
  const MemoryDevices found = memory_devices(old);
  ASSERT_EQ(found.devices.size(), 1U) << found.problem;
  EXPECT_EQ(found.devices[0].bank, "CHANNEL A");
  EXPECT_EQ(found.devices[0].transfers_per_s, 0);
}

TEST(MemoryDevices, ATableCutAnywhereIsBrokenOrShorter) {
  const Bytes whole = table({{"DIMM 0", "P0 CHANNEL A"}, {"DIMM 0", "P0 CHANNEL B"}});
  const std::size_t first = 11, second = first + structure({"DIMM 0", "P0 CHANNEL A"}).size();
  const std::size_t last = second + structure({"DIMM 0", "P0 CHANNEL B"}).size();
  for (std::size_t size = 0; size < last; ++size) {
    // In memory of its own, so that reading behind it is found.
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const MemoryDevices found = memory_devices(cut);
    EXPECT_TRUE(!found.problem.empty() || size == second) << size;
    EXPECT_LE(found.devices.size(), 1U) << size;
  }
  EXPECT_EQ(memory_devices(whole).devices.size(), 2U);
}

TEST(MemoryDevices, BytesAtRandomDoNoHarm) {
  std::mt19937 random(7);
  const Bytes whole = table({{"DIMM 0", "P0 CHANNEL A"}, {"DIMM 0", "P0 CHANNEL B"}});
  for (int round = 0; round < 20'000; ++round) {
    Bytes changed = whole;
    for (int i = 0; i < 3; ++i)
      changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
    const MemoryDevices found = memory_devices(changed);
    EXPECT_LE(found.devices.size(), 3U);
    memory_peak(found.devices);
  }
  EXPECT_NE(memory_devices(Bytes(1000, 0)).problem, "");
  EXPECT_NE(memory_devices(Bytes(1000, 17)).problem, "");
  EXPECT_NE(memory_devices(Bytes((1 << 20) + 1, 4)).problem, "");
}

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

TEST(ReadMemoryPeak, FromTheTableOrItsEntries) {
  const test::PlantedSys sys;
  const std::vector<Module> modules = {{"0", "CHANNEL A"}, {"0", "CHANNEL B"}};
  EXPECT_EQ(read_memory_peak(sys.path()).peak.missing,
            "the firmware has no memory list (/sys/firmware/dmi); set --peak");
  sys.file("sys/firmware/dmi/entries/17-0/raw", text_of(structure(modules[0])));
  sys.file("sys/firmware/dmi/entries/17-1/raw", text_of(structure(modules[1])));
  sys.file("sys/firmware/dmi/entries/4-0/raw", "junk");
  EXPECT_EQ(read_memory_peak(sys.path()).channels, 2);
  sys.file("sys/firmware/dmi/entries/17-2/raw", "");
  EXPECT_EQ(read_memory_peak(sys.path()).peak.missing,
            "only root may read the firmware's memory list (/sys/firmware/dmi); set --peak");
  sys.file("sys/firmware/dmi/tables/DMI", text_of(table({modules[0]})));
  EXPECT_EQ(read_memory_peak(sys.path()).channels, 1);
  sys.file("sys/firmware/dmi/tables/DMI", "junk");
  EXPECT_EQ(read_memory_peak(sys.path()).peak.missing,
            "the firmware's hardware table (SMBIOS) is damaged");
}

TEST(ReadMemoryPeak, WhatAHypervisorListsIsMadeUp) {
  const test::PlantedSys sys;
  sys.file("sys/firmware/dmi/tables/DMI", text_of(table({{"0", "CHANNEL A"}})));
  sys.file("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu avx2\n");
  EXPECT_EQ(read_memory_peak(sys.path()).channels, 1);
  sys.file("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor avx2\n");
  EXPECT_EQ(read_memory_peak(sys.path()).peak.missing,
            "this virtual machine hides the host's memory; set --peak");
}

TEST(NumaMemoryPeak, IsAnEqualPartWhereItComesOutEven) {
  const HostMemory host{{800e9, "16 channels", {}}, 16};
  Machine machine;
  const auto nodes = [&](std::vector<std::uint64_t> bytes) {
    machine.numa.clear();
    for (const std::uint64_t one : bytes) machine.numa.push_back({0, 0, one << 30U, {0}});
    return numa_memory_peak(host, machine);
  };
  EXPECT_DOUBLE_EQ(nodes({64}).value, 800e9);
  EXPECT_EQ(nodes({64}).source, "16 channels");
  EXPECT_DOUBLE_EQ(nodes({64, 63, 64, 64}).value, 200e9) << "the firmware keeps a part";
  EXPECT_EQ(nodes({64, 63, 64, 64}).source, "one of 4 NUMA nodes of 16 channels");
  EXPECT_EQ(nodes({64, 32}).missing, "the memory channels of a NUMA node are unknown");
  EXPECT_EQ(nodes({64, 64, 64}).missing, "the memory channels of a NUMA node are unknown");
  EXPECT_EQ(nodes({}).value, 0);
  machine.numa.resize(2);
  EXPECT_EQ(numa_memory_peak({unknown_peak("why")}, machine).missing, "why");
}

}  // namespace
}  // namespace scalemark::hardware
