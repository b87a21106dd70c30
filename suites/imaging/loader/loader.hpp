// SPDX-License-Identifier: Apache-2.0
// Loaders: turn a data set in host memory into batches on the training device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace scalemark::imaging {

/// A data set in host memory, or in files.
struct Images {
  /// [n, channels, rows, columns] with 1 or 3 channels: bytes, or values of the batches' type that
  /// are already scaled and normalised. Undefined if the images are in files.
  at::Tensor pixels;
  at::Tensor labels;                    ///< int64 [n]
  std::vector<std::string> files = {};  ///< [n], 300 x 300 colour PNG; empty if in memory

  bool in_files() const { return !files.empty(); }
  /// The first `count` images in memory, or all if there are fewer.
  Images first(std::int64_t count) const {
    return {pixels.slice(0, 0, count), labels.slice(0, 0, count)};
  }
};

/// Pixels of images `which` (int64), [n, channels, rows, columns]; from files as bytes. Throws
/// InputError for a damaged file.
at::Tensor pixels_of(const Images& images, const at::Tensor& which);

struct LoaderOptions {
  std::int64_t image = 28, batch = 1;
  at::ScalarType type = at::kFloat;  ///< of the images: fp32 or fp64
  /// Loader threads: 16-bit type of fp32 images in mixed precision, whose first operation computes
  /// in it. Half as many bytes are sent, as in the studies; rounding on the host or on the device
  /// gives the same values.
  std::optional<at::ScalarType> narrow = {};
  at::MemoryFormat format = at::MemoryFormat::Contiguous;
  c10::Device device = c10::Device(c10::kCPU);
  bool pin_memory = false;   ///< batches in pinned memory, copied while the device computes
  int workers = 0;           ///< threads that prepare batches; 0: next() prepares them itself
  int prefetch = 2;          ///< batches that each worker prepares ahead
  double mean = 0, std = 1;  ///< of pixels in [0, 1]
};

struct Batch {
  at::Tensor images;  ///< [batch, 3, image, image] on the device
  at::Tensor labels;  ///< int64 [batch] on the device
};

/// Converts pixels as in Pictures to the network's input, on their device, with LibTorch's
/// operators. Images that already have the requested size are not resized.
at::Tensor prepare(const at::Tensor& pixels, const LoaderOptions& options);

/// All loaders, with any number of workers, return the same batches in the same order, but for
/// LoaderOptions::narrow.
class Loader {
 public:
  virtual ~Loader() = default;
  /// Starts an epoch over `order` (sample indices; the length is a multiple of the batch size).
  /// Drops what is left of the previous epoch.
  virtual void start(std::vector<std::int64_t> order) = 0;
  /// The next batch. Its memory may be reused after the next call of next() or start(), or by the
  /// destructor. Throws exceptions of the workers.
  virtual Batch next() = 0;
  /// Bytes copied to the device so far; on a CPU: bytes that a GPU would receive.
  virtual std::uint64_t bytes() const = 0;
};

/// `threads`: up-samples, normalises and makes three channels on the host, as in the studies.
/// `dali`: NVIDIA DALI; on a GPU it receives the stored pixels, on a CPU it prepares on the host.
/// It reads and decodes images in files itself, in each epoch; the others do not take files.
/// `device`: sends the stored pixels; LibTorch prepares them on the device.
std::vector<std::string> loader_names();
/// Throws Unavailable if the loader is not available for `device`, or (`files`) for images in
/// files.
void require_loader(const std::string& name, c10::Device device, bool files = false);
/// `name` is one of loader_names(). `pictures` must outlive the loader.
std::unique_ptr<Loader> make_loader(const std::string& name, const Images& pictures,
                                    const LoaderOptions& options);

}  // namespace scalemark::imaging
