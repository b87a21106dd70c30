// SPDX-License-Identifier: Apache-2.0
// Energy counters: RAPL in a folder made here, NVML from a stand-in.
#include <fstream>

#include <gtest/gtest.h>

#include "common/hardware/nvml.hpp"
#include "common/hardware/sensors/rapl.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::hardware {
namespace {

class Rapl : public testing::Test {
 protected:
  void zone(const std::string& folder, const std::string& name, std::uint64_t energy) {
    std::filesystem::create_directories(root_ / folder);
    std::ofstream(root_ / folder / "name") << name << '\n';
    std::ofstream(root_ / folder / "max_energy_range_uj") << 10'000'000 << '\n';
    std::ofstream(root_ / folder / "energy_uj") << energy << '\n';
  }
  test::TempDir root_;
};

TEST_F(Rapl, PackagesAreSummedAndTheirPartsAreNot) {
  zone("intel-rapl:0", "package-0", 1'000'000);
  zone("intel-rapl:1", "package-1", 2'000'000);
  zone("intel-rapl:0:0", "core", 500'000);
  zone("intel-rapl:2", "psys", 0);
  zone("intel-rapl-mmio:0", "package-0", 0);
  RaplEnergy energy(root_.path());
  EXPECT_DOUBLE_EQ(energy.joules().value_or(-1), 0);
  zone("intel-rapl:0", "package-0", 1'500'000);
  zone("intel-rapl:1", "package-1", 2'250'000);
  zone("intel-rapl:0:0", "core", 900'000);
  zone("intel-rapl:2", "psys", 9'000'000);
  zone("intel-rapl-mmio:0", "package-0", 9'000'000);
  EXPECT_DOUBLE_EQ(energy.joules().value_or(-1), 0.75);
}

TEST_F(Rapl, ACounterWraps) {
  zone("intel-rapl:0", "package-0", 9'000'000);
  RaplEnergy energy(root_.path());
  zone("intel-rapl:0", "package-0", 500'000);
  EXPECT_DOUBLE_EQ(energy.joules().value_or(-1), 1.5);
  zone("intel-rapl:0", "package-0", 600'000);
  EXPECT_DOUBLE_EQ(energy.joules().value_or(-1), 1.6);
}

TEST_F(Rapl, WithoutCountersThereIsNothing) {
  EXPECT_FALSE(RaplEnergy(root_ / "missing").joules().has_value());
  EXPECT_FALSE(RaplEnergy(root_.path()).joules().has_value());
  zone("intel-rapl:0", "package-0", 1);
  std::ofstream(root_ / "intel-rapl:0" / "energy_uj") << "denied";
  EXPECT_FALSE(RaplEnergy(root_.path()).joules().has_value());
}

TEST(Nvml, TheEnergyIsThatOfTheGpuAskedFor) {
  const NvmlEnergy second("0000:0a:00.0", SCALEMARK_FAKE_NVML);
  const double before = second.joules().value_or(-1);
  EXPECT_DOUBLE_EQ(before, 1);
  EXPECT_DOUBLE_EQ(second.joules().value_or(-1) - before, 2.5);
  EXPECT_FALSE(NvmlEnergy("0000:b1:00.0", SCALEMARK_FAKE_NVML).joules().has_value())
      << "a GPU without the counter";
  EXPECT_FALSE(NvmlEnergy("0000:77:00.0", SCALEMARK_FAKE_NVML).joules().has_value());
  EXPECT_FALSE(NvmlEnergy("0000:0a:00.0", "libmissing.so").joules().has_value());
}

TEST(Nvml, DevicesAreReadAndSorted) {
  const NvmlState state = read_nvml(SCALEMARK_FAKE_NVML);
  ASSERT_TRUE(state.available) << state.problem;
  EXPECT_EQ(state.driver_version, "580.1");
  ASSERT_EQ(state.gpus.size(), 2U);
  EXPECT_EQ(state.gpus[0].pci_bus_id, "0000:0a:00.0");
  EXPECT_EQ(state.gpus[0].name, "second");
  EXPECT_EQ(state.gpus[1].memory_bytes, 1U << 20);
}

}  // namespace
}  // namespace scalemark::hardware
