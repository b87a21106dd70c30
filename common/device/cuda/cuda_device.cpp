// SPDX-License-Identifier: Apache-2.0
// A GPU, used through the CUDA runtime.
#include <cctype>
#include <string>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/device/cuda/check.hpp"
#include "common/device/cuda/cuda_memory.hpp"
#include "common/device/cuda/kernels.hpp"
#include "common/device/device.hpp"

namespace scalemark::device {
namespace {

class CudaStream final : public Stream {
 public:
  // Non-blocking: not ordered with a library's work in the legacy default stream.
  CudaStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~CudaStream() override { cudaStreamDestroy(stream_); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  void synchronize() override { check(cudaStreamSynchronize(stream_)); }
  void* native() const override { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

cudaStream_t native(const Stream& stream) { return static_cast<cudaStream_t>(stream.native()); }

class CudaEvent final : public Event {
 public:
  CudaEvent() { check(cudaEventCreate(&event_)); }
  ~CudaEvent() override { cudaEventDestroy(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  void record(Stream& stream) override { check(cudaEventRecord(event_, native(stream))); }
  void synchronize() override { check(cudaEventSynchronize(event_)); }
  double seconds_since(const Event& start) const override {
    float milliseconds = 0;
    check(
        cudaEventElapsedTime(&milliseconds, dynamic_cast<const CudaEvent&>(start).event_, event_));
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// "GPU-8a1c3f00-...", as nvidia-smi prints it.
std::string to_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int index) : index_(index) {
    check(cudaSetDevice(index_));
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index_));
    name_ = properties.name;
    processors_ = properties.multiProcessorCount;
    uuid_ = to_text(properties.uuid);
    char bus[32] = {};
    check(cudaDeviceGetPCIBusId(bus, sizeof bus, index_));
    for (const char* c = bus; *c != '\0'; ++c) {
      pci_bus_id_ += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
    }
  }

  DeviceKind kind() const override { return DeviceKind::cuda; }
  int index() const override { return index_; }
  std::string name() const override { return name_; }
  std::string uuid() const override { return uuid_; }
  std::string pci_bus_id() const override { return pci_bus_id_; }

  std::string why_not(MemoryKind kind) const override { return why_not_cuda(kind, index_); }
  bool is_device_memory(const void* data) const override {
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, data));
    return attributes.type == cudaMemoryTypeDevice;
  }
  Buffer allocate(std::size_t bytes, MemoryKind kind, int numa_node) override {
    const std::string why = why_not(kind);
    if (!why.empty()) throw Unavailable(why);
    check(cudaSetDevice(index_));
    return allocate_cuda(bytes, kind, numa_node);
  }
  std::size_t free_memory() const override {
    check(cudaSetDevice(index_));
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total));
    return free;
  }

  void make_current() override { check(cudaSetDevice(index_)); }
  std::unique_ptr<Stream> make_stream() override {
    check(cudaSetDevice(index_));
    return std::make_unique<CudaStream>();
  }
  std::unique_ptr<Event> make_event() override {
    check(cudaSetDevice(index_));
    return std::make_unique<CudaEvent>();
  }
  void copy(void* to, const void* from, std::size_t bytes, Stream& stream) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, native(stream)));
  }
  void copy_by_kernel(void* to, const void* from, std::size_t bytes, Stream& stream) override {
    check(kernels::copy(to, from, bytes, processors_, native(stream)));
  }
  void prefetch(const void* data, std::size_t bytes, bool to_device, Stream& stream) override {
    const cudaMemLocation place{to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost,
                                to_device ? index_ : 0};
    check(cudaMemPrefetchAsync(data, bytes, place, 0, native(stream)));
  }
  void synchronize() override {
    check(cudaSetDevice(index_));
    check(cudaDeviceSynchronize());
  }

 private:
  int index_, processors_ = 1;
  std::string name_, uuid_, pci_bus_id_;
};

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

int driver_version() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

int runtime_version() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version));
  return version;
}

}  // namespace

std::unique_ptr<Device> make_cuda_device(int index) {
  std::string why;
  const int count = cuda_device_count(&why);
  if (count == 0) throw Unavailable(why);
  if (index < 0 || index >= count) {
    throw Unavailable(
        fmt::format("no CUDA device {}: this process sees {} (numbered from 0)", index, count));
  }
  return std::make_unique<CudaDevice>(index);
}

int cuda_device_at(const std::string& pci_bus_id) {
  int index = -1;
  if (cudaDeviceGetByPCIBusId(&index, pci_bus_id.c_str()) == cudaSuccess) return index;
  cudaGetLastError();
  return -1;
}

int cuda_device_count(std::string* why_none) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  if (why_none == nullptr) return 0;
  const int driver = driver_version();
  if (driver == 0) {
    *why_none = "no CUDA driver";
  } else if (code == cudaErrorInsufficientDriver) {
    *why_none = fmt::format("the CUDA driver (for CUDA {}) is older than this build's runtime ({})",
                            version_text(driver), version_text(runtime_version()));
  } else if (code == cudaErrorNoDevice || code == cudaSuccess) {
    *why_none = "no CUDA device";
  } else {
    *why_none = fmt::format("CUDA {}: {}", cudaGetErrorName(code), cudaGetErrorString(code));
  }
  return 0;
}

std::string cuda_versions() {
  const int driver = driver_version();
  return fmt::format("runtime {}, driver {}", version_text(runtime_version()),
                     driver == 0 ? "none" : version_text(driver));
}

}  // namespace scalemark::device
