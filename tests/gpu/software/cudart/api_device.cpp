// SPDX-License-Identifier: Apache-2.0
// Entry points: devices, versions, errors.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <strings.h>

#include "tests/gpu/software/cudart/call.hpp"
#include "tests/gpu/software/cudart/device.hpp"
#include "tests/gpu/software/cudart/settings.hpp"
#include "tests/gpu/software/cudart/submit.hpp"

using namespace scalemark::software_gpu;  // NOLINT(google-build-using-namespace)

namespace {

constexpr int kVersion = 13000, kOldVersion = 12080;

int attribute_of(const cudaDeviceProp& p, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      return p.multiProcessorCount;
    case cudaDevAttrManagedMemory:
      return p.managedMemory;
    case cudaDevAttrHostRegisterSupported:
      return p.hostRegisterSupported;
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    default:
      std::fprintf(stderr, "software GPU: attribute %d is not known\n",
                   static_cast<int>(attribute));
      throw Failure{cudaErrorInvalidValue};
  }
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() { return take_last_error(); }
const char* cudaGetErrorName(cudaError_t code) { return name_of(code); }
const char* cudaGetErrorString(cudaError_t code) { return text_of(code); }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = settings().old_driver ? kOldVersion : kVersion;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = kVersion;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  return call(Needs::driver, [&] {
    *count = static_cast<int>(devices().size());
    require(*count > 0, cudaErrorNoDevice);
  });
}

cudaError_t cudaGetDevice(int* index) {
  return call(Needs::device, [&] { *index = current_index(); });
}

cudaError_t cudaSetDevice(int index) {
  return call(Needs::device, [&] {
    Device& device = device_at(index);
    set_current(index);
    device.memory();  // opens the context
    enter(Needs::context);
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  return call(Needs::device, [&] { *properties = device_at(index).properties(); });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index) {
  return call(Needs::device,
              [&] { *value = attribute_of(device_at(index).properties(), attribute); });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int index) {
  return call(Needs::device, [&] {
    const std::string id = device_at(index).pci_bus_id();
    require(bytes > static_cast<int>(id.size()), cudaErrorInvalidValue);
    std::memcpy(text, id.c_str(), id.size() + 1);
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* index, const char* text) {
  return call(Needs::device, [&] {
    for (std::size_t i = 0; i < devices().size(); ++i) {
      if (strcasecmp(devices()[i]->pci_bus_id().c_str(), text) == 0) {
        *index = static_cast<int>(i);
        return;
      }
    }
    throw Failure{cudaErrorInvalidDevice};
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int index, int peer) {
  return call(Needs::device, [&] {
    device_at(index);
    device_at(peer);
    *can = index != peer && !settings().no_peers && settings().instances == 0 ? 1 : 0;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call(Needs::context, [&] {
    require(flags == 0, cudaErrorInvalidValue);
    device_at(peer);
    require(peer != current_index() && !settings().no_peers, cudaErrorPeerAccessUnsupported);
    require(current_device().enable_peer(peer), cudaErrorPeerAccessAlreadyEnabled);
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call(Needs::context, [&] {
    device_at(peer);
    require(current_device().disable_peer(peer), cudaErrorPeerAccessNotEnabled);
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call(Needs::context, [&] {
    {
      const std::lock_guard lock(state());
      refuse_captures_of(current_index());
      refuse_unsafe_call();
    }
    current_device().drain();
    enter(Needs::context);
  });
}

}  // extern "C"
