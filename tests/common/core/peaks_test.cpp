// SPDX-License-Identifier: Apache-2.0
// Which peaks are known, and what a file may say.
#include "common/core/peaks/peaks.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/core/peaks/gpu_sheets.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& toml) {
  try {
    Peaks::parse(toml, "peak.toml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Peaks, OfKnownGpusAreThoseOfTheirDataSheets) {
  const Peaks peaks;
  const auto tera = [&](const char* model, const char* precision) {
    return peaks.gpu_flops(model, precision).value / 1e12;
  };
  EXPECT_DOUBLE_EQ(tera("NVIDIA H200", "fp32"), 67);
  EXPECT_DOUBLE_EQ(tera("NVIDIA H200", "bf16"), 989.4) << "dense, not 1979 with sparsity";
  EXPECT_DOUBLE_EQ(tera("NVIDIA H100 PCIe", "fp16"), 756);
  EXPECT_DOUBLE_EQ(tera("NVIDIA A100-SXM4-80GB", "tf32"), 156);
  EXPECT_DOUBLE_EQ(tera("NVIDIA A100-SXM4-40GB", "fp64"), 19.5);
  EXPECT_DOUBLE_EQ(tera("NVIDIA H100 80GB HBM3", "fp8"), 1978.9);
  EXPECT_DOUBLE_EQ(tera("NVIDIA L40S", "fp8"), 733);
  EXPECT_DOUBLE_EQ(tera("NVIDIA B200", "bf16"), 2250);
  EXPECT_EQ(peaks.gpu_flops("NVIDIA H200", "fp64").source, "data sheet of NVIDIA H200");
}

TEST(Peaks, WhatNobodyKnowsIsNotGuessed) {
  const Peaks peaks;
  const auto why = [&](const char* model, const char* precision) {
    EXPECT_EQ(peaks.gpu_flops(model, precision).value, 0) << model;
    return peaks.gpu_flops(model, precision).missing;
  };
  EXPECT_EQ(why("NVIDIA H200 MIG 1g.18gb", "fp32"),
            "no data sheet of NVIDIA H200 MIG 1g.18gb is known here")
      << "a seventh of it";
  EXPECT_NE(why("NVIDIA H2000", "fp32"), "");
  EXPECT_NE(why("", "fp32"), "");
  EXPECT_EQ(why("NVIDIA A30", "fp8"), "no rate in fp8 is known from the data sheet of NVIDIA A30");
  EXPECT_NE(why("NVIDIA H200", "int4"), "");
  EXPECT_NE(why("Tesla V100-SXM2-16GB", "bf16"), "") << "emulated";
  EXPECT_NE(why("NVIDIA B200", "fp64"), "") << "editions of its sheet differ";
  EXPECT_EQ(peaks.cpu_flops(2, "fp32", hardware::unknown_peak("why")).missing, "why");
}

TEST(Peaks, OfMemoryAreThoseOfDataSheets) {
  EXPECT_DOUBLE_EQ(sheet_memory("NVIDIA H200").value, 4.8e12);
  EXPECT_DOUBLE_EQ(sheet_memory("NVIDIA H100 80GB HBM3").value, 3.35e12);
  EXPECT_DOUBLE_EQ(sheet_memory("NVIDIA A100-SXM4-40GB").value, 1.555e12);
  EXPECT_EQ(sheet_memory("NVIDIA L4").source, "data sheet of NVIDIA L4");
  EXPECT_EQ(sheet_memory("NVIDIA H100 PCIe").value, 0) << "rounded to 2 TB/s, less than its clock";
  EXPECT_NE(sheet_memory("NVIDIA H200 MIG 1g.18gb").missing, "");
}

TEST(Peaks, OfCoresAddUp) {
  const Peak two = Peaks().cpu_flops(2, "fp64", {1e11, "2 x 512 bits", {}});
  EXPECT_DOUBLE_EQ(two.value, 2e11);
  EXPECT_EQ(two.source, "2 x 512 bits, 2 cores");
}

TEST(Peaks, AFileComesFirstAndLeavesTheRest) {
  const Peaks peaks = Peaks::parse(
      "[gpu.flops]\nfp32 = 5e13\n[cpu_core.flops]\nfp32 = 96_000_000_000\nfp64 = 4.8e10\n", "x");
  EXPECT_DOUBLE_EQ(peaks.gpu_flops("NVIDIA H200", "fp32").value, 5e13);
  EXPECT_EQ(peaks.gpu_flops("NVIDIA H200", "fp32").source, "--peak");
  EXPECT_DOUBLE_EQ(peaks.gpu_flops("NVIDIA H200", "fp64").value, 67e12);
  EXPECT_DOUBLE_EQ(peaks.gpu_flops("of nobody", "fp32").value, 5e13);
  EXPECT_DOUBLE_EQ(peaks.cpu_flops(4, "fp32", {1, "computed", {}}).value, 384e9)
      << "for four cores";
  EXPECT_EQ(peaks.cpu_flops(4, "fp32", {1, "computed", {}}).source, "--peak, 4 cores");
  EXPECT_EQ(peaks.cpu_flops(4, "bf16", {1, "computed", {}}).source, "computed, 4 cores");
}

TEST(Peaks, OfLinksAreThoseOfAFile) {
  EXPECT_FALSE(Peaks().link("network"));
  const Peaks peaks = Peaks::parse("[link]\nnetwork = 25e9\npcie = 63_000_000_000\n", "x");
  EXPECT_DOUBLE_EQ(peaks.link("network")->value, 25e9);
  EXPECT_DOUBLE_EQ(peaks.link("pcie")->value, 63e9);
  EXPECT_EQ(peaks.link("pcie")->source, "--peak");
  EXPECT_FALSE(peaks.link("nvlink"));
}

TEST(Peaks, OfMemoriesAFileComesFirst) {
  EXPECT_FALSE(Peaks().memory("host"));
  const Peaks peaks = Peaks::parse("[memory]\nhost = 600e9\ngpu = 4.8e12\n", "x");
  EXPECT_DOUBLE_EQ(peaks.memory("host")->value, 600e9);
  EXPECT_DOUBLE_EQ(peaks.memory("gpu")->value, 4.8e12);
  EXPECT_EQ(peaks.memory("gpu")->source, "--peak");
  EXPECT_FALSE(peaks.memory("numa_node"));
  EXPECT_FALSE(peaks.link("gpu")) << "another table";
}

TEST(Peaks, AWrongFileIsRefusedWithItsLine) {
  EXPECT_THAT(refusal("\n[gpu.flops]\nfp31 = 1"), HasSubstr("peak.toml:3: unknown key 'fp31'"));
  EXPECT_THAT(refusal("[tpu.flops]"),
              HasSubstr("unknown key 'tpu'; allowed: gpu, cpu_core, link, memory"));
  EXPECT_THAT(refusal("[gpu.bytes]"), HasSubstr("unknown key 'bytes'; allowed: flops"));
  EXPECT_THAT(refusal("gpu = 5"), HasSubstr("'gpu' is a table"));
  EXPECT_THAT(refusal("[gpu]\nflops = 1e12"), HasSubstr("peak.toml:2: 'flops' is a table"));
  for (const char* value : {"0", "-1.0", "nan", "inf", "\"67e12\"", "[1]"}) {
    EXPECT_THAT(refusal(std::string("[gpu.flops]\nfp32 = ") + value),
                testing::AllOf(HasSubstr("peak.toml:2: 'fp32' is "),
                               HasSubstr("; allowed: a number of flop/s above 0")))
        << value;
  }
  EXPECT_THAT(refusal("[gpu.flops\nfp32 = 1"), HasSubstr("peak.toml:1: "));
  EXPECT_THAT(refusal("[link]\nusb = 1"),
              HasSubstr("peak.toml:2: unknown key 'usb'; allowed: network, nvlink, pcie"));
  EXPECT_THAT(refusal("[link]\npcie = 0"),
              HasSubstr("peak.toml:2: 'pcie' is 0; allowed: a number of B/s above 0"));
  EXPECT_THAT(refusal("[memory]\nnuma = 1"),
              HasSubstr("peak.toml:2: unknown key 'numa'; allowed: host, numa_node, gpu"));
  EXPECT_THAT(refusal("[memory]\nhost = -1"),
              HasSubstr("peak.toml:2: 'host' is -1; allowed: a number of B/s above 0"));
  EXPECT_THAT(refusal("link = 1e9"), HasSubstr("'link' is a table"));
}

TEST(Peaks, AFileThatIsNoneIsRefused) {
  const test::TempDir folder;
  const std::filesystem::path file = folder.path() / "peak.toml";
  EXPECT_THROW(Peaks::from_file(file), UsageError) << "missing";
  EXPECT_THROW(Peaks::from_file(folder.path()), UsageError) << "a folder";
  std::ofstream(file) << "[cpu_core.flops]\nfp64 = 1e10\n";
  EXPECT_DOUBLE_EQ(Peaks::from_file(file).cpu_flops(1, "fp64", {}).value, 1e10);
  std::ofstream(file, std::ios::app) << std::string(65 << 10, '#');
  EXPECT_THROW(Peaks::from_file(file), UsageError) << "far too long";
}

}  // namespace
}  // namespace scalemark
