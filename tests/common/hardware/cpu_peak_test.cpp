// SPDX-License-Identifier: Apache-2.0
// What a core computes, from samples of /proc/cpuinfo and cpufreq.
#include "common/hardware/peaks/cpu_peak.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/common/hardware/planted_sys.hpp"

namespace scalemark::hardware {
namespace {

const Peak kTwoGhz{2e9, {}, {}};

std::string x86(const std::string& vendor, int family, int model, const std::string& flags,
                const std::string& name = "Some CPU") {
  return "processor\t: 0\nvendor_id\t: " + vendor + "\ncpu family\t: " + std::to_string(family) +
         "\nmodel\t\t: " + std::to_string(model) + "\nmodel name\t: " + name +
         "\nstepping\t: 1\nflags\t\t: fpu " + flags +
         "\nbugs\t\t:\n\nprocessor\t: 1\nmodel\t\t: 1\n";
}
std::string intel(int model, const std::string& flags, const std::string& name = "Some CPU") {
  return x86("GenuineIntel", 6, model, flags, name);
}
std::string amd(int family, int model, const std::string& flags) {
  return x86("AuthenticAMD", family, model, flags);
}
std::string arm(const std::string& implementer, const std::string& part) {
  return "processor\t: 0\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd sve\nCPU implementer\t: " +
         implementer + "\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: " + part +
         "\nCPU revision\t: 0\n\n";
}

/// flop a cycle; 0 unknown.
double cycle(const std::string& cpuinfo, const char* precision = "fp64") {
  return core_flops(cpuinfo, kTwoGhz, precision).value / 2e9;
}
std::string why(const std::string& cpuinfo, const char* precision = "fp64") {
  return core_flops(cpuinfo, kTwoGhz, precision).missing;
}

TEST(CoreFlops, FollowFromTheModelsUnits) {
  EXPECT_EQ(cycle(intel(143, "fma avx2 avx512f")), 32) << "Sapphire Rapids";
  EXPECT_EQ(cycle(intel(106, "fma avx2 avx512f"), "fp32"), 64) << "Ice Lake-SP";
  EXPECT_EQ(cycle(intel(79, "fma avx2")), 16) << "Broadwell";
  EXPECT_EQ(cycle(amd(0x17, 0x01, "fma avx2")), 8) << "Naples";
  EXPECT_EQ(cycle(amd(0x17, 0x31, "fma avx2")), 16) << "Rome";
  EXPECT_EQ(cycle(amd(0x19, 0x01, "fma avx2")), 16) << "Milan";
  EXPECT_EQ(cycle(amd(0x19, 0x11, "fma avx2 avx512f")), 16) << "Genoa: two halves";
  EXPECT_EQ(cycle(amd(0x1A, 0x02, "fma avx2 avx512f")), 32) << "Turin";
  EXPECT_EQ(cycle(arm("0x41", "0xd4f")), 16) << "Grace";
  EXPECT_EQ(cycle(arm("0x46", "0x001")), 32) << "A64FX";
  const Peak peak = core_flops(intel(143, "fma avx512f"), {3.8e9, {}, {}}, "fp64");
  EXPECT_DOUBLE_EQ(peak.value, 121.6e9);
  EXPECT_EQ(peak.source, "2 x 512 bits multiply-add, theoretical, at the highest clock of 3.8 GHz");
}

TEST(CoreFlops, WithoutAvx512TheUnitsAreNarrower) {
  EXPECT_EQ(cycle(intel(143, "fma avx2")), 16);
  EXPECT_EQ(cycle(intel(85, "fma avx2", "Intel(R) Xeon(R) Silver 4110")), 16);
  EXPECT_EQ(why(intel(143, "sse2")), "the vector units of Some CPU are unknown; set --peak");
}

TEST(CoreFlops, OfSkylakeTheNameTellsTheUnits) {
  const auto units = [](const char* name) { return cycle(intel(85, "fma avx512f", name)) / 16; };
  EXPECT_EQ(units("Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz"), 2);
  EXPECT_EQ(units("Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz"), 2);
  EXPECT_EQ(units("Intel(R) Xeon(R) Gold 5122 CPU @ 3.60GHz"), 2);
  EXPECT_EQ(units("Intel(R) Xeon(R) Gold 5118 CPU @ 2.30GHz"), 1);
  EXPECT_EQ(units("Intel(R) Xeon(R) Silver 4110 CPU @ 2.10GHz"), 1);
  EXPECT_EQ(units("Intel(R) Xeon(R) Processor"), 0);
}

TEST(CoreFlops, TheMatrixUnitComputesInSixteenBits) {
  const std::string sapphire = intel(143, "fma avx512f amx_tile amx_bf16");
  EXPECT_EQ(cycle(sapphire, "bf16"), 1024);
  EXPECT_EQ(core_flops(sapphire, kTwoGhz, "bf16").source,
            "matrix unit (AMX), theoretical, at the highest clock of 2 GHz");
  EXPECT_EQ(why(sapphire, "fp16"),
            "the peak rate of a core of Some CPU in fp16 is unknown; set --peak");
  EXPECT_EQ(cycle(intel(173, "fma avx512f amx_bf16 amx_fp16"), "fp16"), 1024);
  EXPECT_EQ(why(amd(0x1A, 2, "fma avx512f avx512_bf16"), "bf16"),
            "the peak rate of a core of Some CPU in bf16 is unknown; set --peak");
  EXPECT_EQ(cycle(sapphire, "tf32"), 0);
}

TEST(CoreFlops, WhatNobodyLookedUpIsNotGuessed) {
  EXPECT_EQ(why(intel(151, "fma avx2", "12th Gen Intel(R) Core(TM)")),
            "the vector units of 12th Gen Intel(R) Core(TM) are unknown; set --peak");
  EXPECT_EQ(why(amd(0x1A, 0x24, "fma avx512f")),
            "the vector units of Some CPU are unknown; set --peak");
  EXPECT_EQ(why(x86("GenuineIntel", 15, 143, "fma avx512f")),
            "the vector units of Some CPU are unknown; set --peak");
  EXPECT_EQ(why(arm("0x41", "0xd49")),
            "the vector units of this model of CPU are unknown; set --peak");
  for (const char* text : {"", "\n\n", ":", "model : 143x\nvendor_id : GenuineIntel\n"})
    EXPECT_NE(why(text), "") << text;
  EXPECT_EQ(why(intel(143, "fma avx512f hypervisor")),
            "this virtual machine hides the maximum clock; set --peak");
  EXPECT_EQ(core_flops(intel(143, "fma avx512f"), unknown_peak("no clock"), "fp64").missing,
            "no clock");
}

struct Clock : testing::Test {
  void policy(const std::string& number, const std::string& kilohertz, const std::string& driver,
              const std::string& offered = "") const {
    const std::string folder = "sys/devices/system/cpu/cpufreq/policy" + number;
    sys.file(folder + "/cpuinfo_max_freq", kilohertz + "\n");
    sys.file(folder + "/scaling_driver", driver + "\n");
    if (!offered.empty()) sys.file(folder + "/scaling_available_frequencies", offered + "\n");
  }
  Peak clock() const { return highest_clock(sys.path()); }
  test::PlantedSys sys;
};

TEST_F(Clock, IsTheHighestOfAllCores) {
  EXPECT_EQ(clock().missing, "the system does not report the CPU's maximum clock; set --peak");
  policy("0", "3500000", "intel_pstate");
  policy("1", "3800000", "intel_pstate");
  policy("2", "3600000", "intel_pstate");
  EXPECT_DOUBLE_EQ(clock().value, 3.8e9);
  sys.file("proc/cpuinfo", intel(143, "fma avx512f"));
  EXPECT_DOUBLE_EQ(read_core_flops("fp32", sys.path()).value, 64 * 3.8e9);
}

TEST_F(Clock, WithoutBoostItIsNone) {
  policy("0", "2800000", "acpi-cpufreq", "2800000 2400000 1500000");
  EXPECT_EQ(clock().missing, "cpufreq may hide CPU clocks above the nominal one; set --peak");
  sys.file("sys/devices/system/cpu/cpufreq/boost", "0\n");
  EXPECT_DOUBLE_EQ(clock().value, 2.8e9) << "there are no clocks above";
  sys.file("sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(clock().value, 0);
  policy("0", "3350000", "acpi-cpufreq", "2800000 2400000 1500000");
  EXPECT_DOUBLE_EQ(clock().value, 3.35e9) << "a kernel that knows them";
}

TEST_F(Clock, WhatIsNoClockIsNone) {
  for (const char* text : {"", "fast", "-1", "0", "99999999999"}) {
    policy("0", text, "intel_pstate");
    EXPECT_EQ(clock().value, 0) << text;
  }
}

}  // namespace
}  // namespace scalemark::hardware
