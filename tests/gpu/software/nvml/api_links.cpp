// SPDX-License-Identifier: Apache-2.0
// Entry points of NVML: PCIe, NVLink, and the chip-to-chip link to the CPU.
#include <string>
#include <vector>

#include "tests/gpu/software/cudart/settings.hpp"
#include "tests/gpu/software/environment.hpp"
#include "tests/gpu/software/nvml/answer.hpp"

namespace gpu = scalemark::software_gpu;
namespace nvml = scalemark::hardware::nvml;
using namespace gpu::nvml_answer;  // NOLINT(google-build-using-namespace)

namespace {

/// NVLink 4: MB/s per link and direction that NVML tells for an H100, and nvmlNvlinkVersion_t.
constexpr unsigned kNvlinkMegabytes = 26'562, kNvlink4 = 6, kMaxNvlinks = 18;

struct Nvlinks {
  unsigned count = 0;     ///< links per device
  bool to_switch = true;  ///< otherwise to the other devices in turn
};

/// SOFTWARE_GPU_NVLINKS, such as "18:switch" or "18:peers".
const Nvlinks& nvlinks() {
  static const Nvlinks& read_once = *[] {
    const char* name = "SOFTWARE_GPU_NVLINKS";
    auto* links = new Nvlinks;
    const auto value = gpu::text(name);
    if (!value) return links;
    const std::size_t colon = value->find(':');
    const std::string end = colon == std::string::npos ? "" : value->substr(colon + 1);
    if (end != "switch" && end != "peers") gpu::refuse(name, *value, "N:switch or N:peers");
    links->count =
        static_cast<unsigned>(gpu::number_in(name, value->substr(0, colon), kMaxNvlinks));
    links->to_switch = end == "switch";
    return links;
  }();
  return read_once;
}

/// Where a link of a device ends, if it ends at another device.
int peer_of(int place, unsigned link) {
  const int others = gpu::settings().devices - 1;
  const int other = others == 0 ? 0 : static_cast<int>(link) % others;
  return other < place ? other : other + 1;
}

bool has_link(const Device* device, unsigned link) {
  return !device->identity.instance && link < nvlinks().count &&
         (nvlinks().to_switch || gpu::settings().devices > 1);
}

}  // namespace

extern "C" {

int nvmlDeviceGetCurrPcieLinkGeneration(Device* device, unsigned* generation) {
  return give(device, generation, 5U);
}
int nvmlDeviceGetCurrPcieLinkWidth(Device* device, unsigned* width) {
  return give(device, width, 16U);
}
int nvmlDeviceGetMaxPcieLinkGeneration(Device* device, unsigned* generation) {
  return give(device, generation, 5U);
}
int nvmlDeviceGetMaxPcieLinkWidth(Device* device, unsigned* width) {
  return give(device, width, 16U);
}

int nvmlDeviceGetNvLinkState(Device* device, unsigned link, unsigned* active) {
  if (nvlinks().count == 0) return nvml::kNotSupported;
  if (!has_link(device, link)) return nvml::kInvalidArgument;
  return give(device, active, 1U);
}
int nvmlDeviceGetNvLinkVersion(Device* device, unsigned link, unsigned* version) {
  if (!has_link(device, link)) return nvml::kInvalidArgument;
  return give(device, version, kNvlink4);
}
int nvmlDeviceGetNvLinkRemoteDeviceType(Device* device, unsigned link, unsigned* type) {
  if (!has_link(device, link)) return nvml::kInvalidArgument;
  return give(device, type, nvlinks().to_switch ? nvml::kNvlinkToSwitch : nvml::kNvlinkToGpu);
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device* device, unsigned link, nvml::Pci* pci) {
  if (!has_link(device, link) || nvlinks().to_switch) return nvml::kInvalidArgument;
  return give(device, pci, pci_of(peer_of(device->identity.place, link)));
}
int nvmlDeviceGetFieldValues(Device* device, int count, nvml::FieldValue* values) {
  if (!is_in_use()) return kUninitialized;
  for (int i = 0; i < count; ++i) {
    nvml::FieldValue& one = values[i];
    const bool known = one.field == nvml::kNvlinkSpeedCommon && has_link(device, 0);
    one.result = known ? nvml::kSuccess : nvml::kNotSupported;
    one.type = nvml::kUnsignedInt;
    one.value.unsigned_int = known ? kNvlinkMegabytes : 0;
  }
  return nvml::kSuccess;
}
int nvmlDeviceGetC2cModeInfoV(Device* device, nvml::C2cMode* mode) {
  return give(device, mode, nvml::C2cMode{.enabled = gpu::is_on("SOFTWARE_GPU_C2C") ? 1U : 0U});
}

}  // extern "C"
