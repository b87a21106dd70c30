// SPDX-License-Identifier: Apache-2.0
// Loaders: from a data set in memory to batches on the training device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace scalemark::imaging {

/// A data set on the host.
struct Images {
  /// [n, channels, rows, columns]; 1 or 3 channels. Bytes, or in the type of the batches what is
  /// scaled and normalised already.
  at::Tensor pixels;
  at::Tensor labels;  ///< int64 [n]

  /// The first `count`, or all if there are fewer.
  Images first(std::int64_t count) const {
    return {pixels.slice(0, 0, count), labels.slice(0, 0, count)};
  }
};

struct LoaderOptions {
  std::int64_t image = 28, batch = 1;
  at::ScalarType type = at::kFloat;  ///< of the images: fp32 or fp64
  at::MemoryFormat format = at::MemoryFormat::Contiguous;
  c10::Device device = c10::Device(c10::kCPU);
  bool pin_memory = false;   ///< batches in pinned memory, sent while the device computes
  int workers = 0;           ///< threads that prepare batches; 0: the caller does, when it asks
  int prefetch = 2;          ///< batches that each worker prepares ahead
  double mean = 0, std = 1;  ///< of pixels in [0, 1]
};

struct Batch {
  at::Tensor images;  ///< [batch, 3, image, image] on the device
  at::Tensor labels;  ///< int64 [batch] on the device
};

/// Pixels as in Pictures as the network's input, on their device, by LibTorch's operators. Those of
/// the wanted size are not resized.
at::Tensor prepare(const at::Tensor& pixels, const LoaderOptions& options);

/// Equal batches in equal order, whatever the loader and the number of its workers.
class Loader {
 public:
  virtual ~Loader() = default;
  /// Begins an epoch over `order` (indices of samples, a multiple of the batch); what is left of
  /// the one before is dropped.
  virtual void start(std::vector<std::int64_t> order) = 0;
  /// The next batch. Its memory may be used again after the next call of next(), start() or the
  /// destructor. An exception of a worker is thrown here.
  virtual Batch next() = 0;
  /// Bytes sent to the device so far; on a CPU those that would be.
  virtual std::uint64_t bytes() const = 0;
};

/// `threads`: up-sampled, normalised and made three channels on the host, as the studies do.
/// `dali`: by NVIDIA's library; sent as they are stored, or on a CPU prepared there.
/// `device`: sent as they are stored, the rest done on the device by LibTorch.
std::vector<std::string> loader_names();
/// Throws Unavailable where this loader cannot be had for `device`.
void require_loader(const std::string& name, c10::Device device);
/// `name` is one of loader_names(). `pictures` must outlive the loader.
std::unique_ptr<Loader> make_loader(const std::string& name, const Images& pictures,
                                    const LoaderOptions& options);

}  // namespace scalemark::imaging
