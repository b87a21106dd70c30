// SPDX-License-Identifier: Apache-2.0
// Event calls of the CUDA runtime.
#include <vector>

#include <cuda_runtime_api.h>

#include "common/base/error.hpp"
#include "common/device/cuda/check.hpp"
#include "common/device/event_calls.hpp"

namespace scalemark::device {
namespace {

class CudaEventCalls final : public EventCalls {
 public:
  CudaEventCalls(Device& device, bool timing)
      : stream_(device.make_stream()),
        native_(static_cast<cudaStream_t>(stream_->native())),
        flags_(timing ? cudaEventDefault : cudaEventDisableTiming) {
    pile_.reserve(256);
  }
  ~CudaEventCalls() override {
    for (cudaEvent_t event : pile_) cudaEventDestroy(event);
  }
  CudaEventCalls(const CudaEventCalls&) = delete;
  CudaEventCalls& operator=(const CudaEventCalls&) = delete;

  void create() override {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, flags_));
    pile_.push_back(event);
  }
  void destroy() override {
    cudaEvent_t event = pile_.back();
    pile_.pop_back();
    check(cudaEventDestroy(event));
  }
  void record() override { check(cudaEventRecord(pile_.back(), native_)); }
  void synchronize() override { check(cudaEventSynchronize(pile_.back())); }
  void elapsed() override {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, pile_[pile_.size() - 2], pile_.back()));
  }
  void synchronize_stream() override { check(cudaStreamSynchronize(native_)); }
  void synchronize_device() override { check(cudaDeviceSynchronize()); }

 private:
  std::unique_ptr<Stream> stream_;
  cudaStream_t native_;
  unsigned flags_;
  std::vector<cudaEvent_t> pile_;
};

}  // namespace

std::unique_ptr<EventCalls> make_event_calls(Device& device, bool timing) {
  if (device.kind() != DeviceKind::cuda) throw Unavailable("only a GPU has events to time");
  return std::make_unique<CudaEventCalls>(device, timing);
}

}  // namespace scalemark::device
