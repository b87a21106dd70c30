// SPDX-License-Identifier: Apache-2.0
// The probe, on a device made up of host memory, which any MPI can read: it finds all right there,
// and names what is wrong where bytes get lost.
#include "common/collective/device_probe.hpp"

#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include "tests/common/collective/fake_gpu.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

/// Loses the last byte of what rank `rank` reads of device memory in blocks of `bytes`.
class LossyGpu final : public test::FakeGpu {
 public:
  LossyGpu(std::size_t bytes, bool loses) : bytes_(bytes), loses_(loses) {}
  void copy(void* to, const void* from, std::size_t bytes, device::Stream& stream) override {
    FakeGpu::copy(to, from, bytes, stream);
    if (!loses_ || bytes != bytes_ || !is_device_memory(from)) return;
    stream.synchronize();
    auto* last = static_cast<unsigned char*>(to) + bytes - 1;
    *last = static_cast<unsigned char>(*last + 1U);
  }

 private:
  std::size_t bytes_;
  bool loses_;
};

constexpr std::size_t kLargest = std::size_t{4} << 20;

TEST(DeviceProbe, FindsNothingWrongWhereMpiCanReadTheMemory) {
  test::FakeGpu gpu;
  test::LazyStream stream;
  for (const DeviceUse use : kDeviceUses) {
    const ProbeResult result = probe_device_memory(use, test::world(), gpu, stream);
    EXPECT_EQ(result.wrong, 0U) << to_string(use) << ": " << result.first_wrong;
    EXPECT_EQ(result.first_wrong, "") << to_string(use);
    // Every rank, all sizes, several calls.
    EXPECT_GE(result.checked, 2 * static_cast<std::uint64_t>(test::world().size()) * kLargest)
        << to_string(use);
  }
  EXPECT_EQ(gpu.allocations[device::MemoryKind::pinned], 0) << "nothing may be staged";
}

TEST(DeviceProbe, NamesTheFirstOperationWithWrongBytesOnAllRanks) {
  const std::pair<DeviceUse, const char*> cases[] = {
      {DeviceUse::messages, "message of 65536 B"},
      {DeviceUse::collectives, "allreduce of 65536 B"},
      {DeviceUse::one_sided, "put of 65536 B"},
      {DeviceUse::nonblocking_collectives, "nonblocking allreduce of 65536 B"}};
  for (const auto& [use, what] : cases) {
    LossyGpu gpu(65536, test::world().rank() == test::world().size() - 1);
    test::LazyStream stream;
    const ProbeResult result = probe_device_memory(use, test::world(), gpu, stream);
    EXPECT_GE(result.wrong, 2U) << to_string(use);
    EXPECT_LT(result.wrong, result.checked) << to_string(use);
    EXPECT_NE(result.first_wrong.find(what), std::string::npos) << result.first_wrong;
  }
}

}  // namespace
}  // namespace scalemark::collective
