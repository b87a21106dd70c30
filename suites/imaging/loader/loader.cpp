// SPDX-License-Identifier: Apache-2.0
// The loader that prepares batches on the device, and the factory for loaders.
#include "suites/imaging/loader/loader.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "suites/imaging/data/images.hpp"
#include "suites/imaging/data/rgb300.hpp"
#include "suites/imaging/loader/loader_dali.hpp"
#include "suites/imaging/loader/loader_threads.hpp"

namespace scalemark::imaging {
namespace {

/// Sends pictures as stored. Bytes are 1/12 of fp32 in three channels at equal size, and less if
/// the pictures are enlarged.
class DeviceLoader final : public Loader {
 public:
  DeviceLoader(const Images& pictures, LoaderOptions options)
      : images_(pictures), options_(options) {}

  void start(std::vector<std::int64_t> order) override {
    order_ = at::tensor(order, at::kLong);
    next_ = 0;
  }

  Batch next() override {
    if (next_ + options_.batch > order_.size(0))
      throw Error("the loader has no further batch in this epoch");
    const at::Tensor which = order_.narrow(0, next_, options_.batch);
    next_ += options_.batch;
    const at::Tensor pixels = send(images_.pixels.index_select(0, which));
    const at::Tensor labels = send(images_.labels.index_select(0, which));
    bytes_ += pixels.nbytes() + labels.nbytes();
    return {prepare(pixels, options_), labels};
  }

  std::uint64_t bytes() const override { return bytes_; }

 private:
  at::Tensor send(const at::Tensor& host) const {
    if (options_.device.is_cpu()) return host;
    return (options_.pin_memory ? host.pin_memory() : host)
        .to(options_.device, /*non_blocking=*/options_.pin_memory);
  }

  const Images& images_;
  LoaderOptions options_;
  at::Tensor order_ = at::empty({0}, at::kLong);
  std::int64_t next_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

at::Tensor prepare(const at::Tensor& pixels, const LoaderOptions& options) {
  const at::Tensor values = pixels.scalar_type() == at::kByte
                                ? normalise(scale(pixels, options.type), options.mean, options.std)
                                : pixels;
  const bool fits = values.size(2) == options.image && values.size(3) == options.image;
  const at::Tensor images = fits ? values : upsample(values, options.image);
  return images.size(1) == 3 ? images.contiguous(options.format)
                             : three_channels(images, options.format);
}

std::vector<std::string> loader_names() { return {"threads", "dali", "device"}; }

at::Tensor pixels_of(const Images& images, const at::Tensor& which) {
  if (!images.in_files()) return images.pixels.index_select(0, which);
  at::Tensor pixels = at::empty({which.size(0), 3, kRgbSize, kRgbSize}, at::kByte);
  auto* planes = pixels.mutable_data_ptr<std::uint8_t>();
  for (std::int64_t i = 0; i < which.size(0); ++i) {
    const auto file = static_cast<std::size_t>(which[i].item<std::int64_t>());
    read_planes(images.files.at(file),
                {planes + static_cast<std::size_t>(i) * kRgbBytes, kRgbBytes});
  }
  return pixels;
}

void require_loader(const std::string& name, c10::Device device, bool files) {
  if (files && name != "dali")
    throw Unavailable(fmt::format("loader={} does not read images from files", name));
  if (name != "dali") return;
  if (const std::string reason = why_no_dali_loader(device, files); !reason.empty())
    throw Unavailable(reason);
}

std::unique_ptr<Loader> make_loader(const std::string& name, const Images& pictures,
                                    const LoaderOptions& options) {
  if (name == "threads") return make_threads_loader(pictures, options);
  if (name == "dali") return make_dali_loader(pictures, options);
  if (name == "device") return std::make_unique<DeviceLoader>(pictures, options);
  throw Error(fmt::format("no loader '{}'", name));
}

}  // namespace scalemark::imaging
