// SPDX-License-Identifier: Apache-2.0
// Entry points of NVML: devices that are divided into instances (MIG).
#include "tests/gpu/software/cudart/settings.hpp"
#include "tests/gpu/software/nvml/answer.hpp"

namespace gpu = scalemark::software_gpu;
namespace nvml = scalemark::hardware::nvml;
using namespace gpu::nvml_answer;  // NOLINT(google-build-using-namespace)

namespace {

/// Places for instances on a GPU, whatever number of them is taken.
constexpr unsigned kPlaces = 7;

}  // namespace

extern "C" {

int nvmlDeviceGetMigMode(Device* device, unsigned* current, unsigned* pending) {
  const unsigned mode = gpu::settings().instances > 0 ? 1 : 0;
  give(device, pending, mode);
  return give(device, current, mode);
}
int nvmlDeviceGetMaxMigDeviceCount(Device* device, unsigned* count) {
  return give(device, count, gpu::settings().instances > 0 ? kPlaces : 0);
}
int nvmlDeviceGetMigDeviceHandleByIndex(Device* device, unsigned index, Device** instance) {
  if (index >= kPlaces) return nvml::kInvalidArgument;
  // The first place is free, so that a place and a number differ.
  const int number = static_cast<int>(index) - (gpu::settings().instances < 7 ? 1 : 0);
  if (number < 0 || number >= gpu::settings().instances) return kNotFound;
  return give(device, instance, handle_of({.place = device->identity.place, .instance = number}));
}

}  // extern "C"
