// SPDX-License-Identifier: Apache-2.0
// Access between GPUs by the CUDA runtime.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/device/cuda/check.hpp"
#include "common/device/peer_access.hpp"

namespace scalemark::device {
namespace {

class CudaPeerAccess final : public PeerAccess {
 public:
  CudaPeerAccess(int device, int peer) : device_(device), peer_(peer) {
    check(cudaSetDevice(device_));
    const cudaError_t code = cudaDeviceEnablePeerAccess(peer_, 0);
    is_ours_ = code != cudaErrorPeerAccessAlreadyEnabled;
    if (is_ours_)
      check(code);
    else
      cudaGetLastError();
  }
  ~CudaPeerAccess() override {
    if (!is_ours_) return;
    // After a sticky error these fail, too; there is nobody to tell.
    cudaSetDevice(device_);
    cudaDeviceDisablePeerAccess(peer_);
    cudaGetLastError();
  }
  CudaPeerAccess(const CudaPeerAccess&) = delete;
  CudaPeerAccess& operator=(const CudaPeerAccess&) = delete;

 private:
  int device_, peer_;
  bool is_ours_ = true;  ///< else a library had enabled it before, and relies on it
};

}  // namespace

bool can_access_peer(const Device& device, const Device& peer) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device.index(), peer.index()));
  return can != 0;
}

std::unique_ptr<PeerAccess> enable_peer_access(const Device& device, const Device& peer) {
  if (!can_access_peer(device, peer))
    throw Unavailable(
        fmt::format("GPU {} cannot access the memory of GPU {}", device.index(), peer.index()));
  return std::make_unique<CudaPeerAccess>(device.index(), peer.index());
}

}  // namespace scalemark::device
