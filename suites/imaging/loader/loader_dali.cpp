// SPDX-License-Identifier: Apache-2.0
// The loader that prepares batches with DALI, some of them ahead of the caller.
#include "suites/imaging/loader/loader_dali.hpp"

#include <algorithm>
#include <optional>

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/no_throw.hpp"
#include "suites/imaging/data/rgb300.hpp"
#include "suites/imaging/loader/dali_pipeline.hpp"

namespace scalemark::imaging {
namespace {

std::optional<int> gpu_of(c10::Device device) {
  return device.is_cuda() ? std::optional<int>(device.index()) : std::nullopt;
}

DaliOptions pipeline_options(const Images& pictures, const LoaderOptions& options) {
  const at::Tensor& pixels = pictures.pixels;
  const bool files = pictures.in_files();
  return {.files = files,
          .batch = options.batch,
          .channels = files ? 3 : pixels.size(1),
          .rows = files ? kRgbSize : pixels.size(2),
          .columns = files ? kRgbSize : pixels.size(3),
          .image = options.image,
          .bytes = files || pixels.scalar_type() == at::kByte,
          .mean = options.mean,
          .std = options.std,
          .channels_last = options.format == at::MemoryFormat::ChannelsLast,
          .pinned = options.pin_memory && options.device.is_cuda(),
          .threads = std::max(1, options.workers),
          .prefetch = std::max(1, options.prefetch),
          .gpu = gpu_of(options.device)};
}

/// Memory that a batch in flight needs: its pixels until DALI has read them and, on a GPU, DALI's
/// result until it has been copied.
struct Slot {
  at::Tensor pixels = {}, labels = {};  ///< pixels: undefined if DALI reads files
  std::shared_ptr<float> result = {};
  std::optional<c10::Event> copied = {};
};

class DaliLoader final : public Loader {
 public:
  DaliLoader(const Images& pictures, const LoaderOptions& options)
      : images_(pictures),
        options_(options),
        ahead_(static_cast<std::size_t>(std::max(1, options.prefetch))),
        // One more for the batch held by the caller, and one whose copy may be in flight.
        slots_(ahead_ + 2),
        pipeline_(pipeline_options(pictures, options)) {}

  ~DaliLoader() override {
    ignore_errors("wait for copies of batches", [this] {
      for (Slot& slot : slots_) {
        if (slot.copied) slot.copied->synchronize();
      }
    });
  }
  DaliLoader(const DaliLoader&) = delete;
  DaliLoader& operator=(const DaliLoader&) = delete;

  void start(std::vector<std::int64_t> order) override {
    while (taken_ < fed_) take();  // drops the batch
    order_ = at::tensor(order, at::kLong);
    batches_ = order.size() / static_cast<std::size_t>(options_.batch);
    fed_ = taken_ = 0;
    while (fed_ < std::min(ahead_, batches_)) feed();
  }

  Batch next() override {
    if (taken_ >= batches_) throw Error("the loader has no further batch in this epoch");
    if (taken_ == fed_) feed();  // throws again if feeding failed before
    const Slot& slot = slots_[taken_ % slots_.size()];
    bytes_ += pixel_bytes(slot) + slot.labels.nbytes();
    const Batch batch = take();
    if (fed_ < batches_) feed();
    return batch;
  }

  std::uint64_t bytes() const override { return bytes_; }

 private:
  void feed() {
    Slot& slot = slots_[fed_ % slots_.size()];
    if (slot.copied) slot.copied->synchronize();
    slot.result.reset();
    const at::Tensor which =
        order_.narrow(0, static_cast<std::int64_t>(fed_) * options_.batch, options_.batch);
    slot.labels = on_host(images_.labels.index_select(0, which));
    if (images_.in_files()) {
      std::vector<std::string> files;
      for (std::int64_t i = 0; i < options_.batch; ++i)
        files.push_back(images_.files.at(static_cast<std::size_t>(which[i].item<std::int64_t>())));
      pipeline_.feed_files(files);
    } else {
      const at::Tensor pixels = images_.pixels.index_select(0, which);
      slot.pixels = on_host(pixels.scalar_type() == at::kDouble ? pixels.to(at::kFloat) : pixels);
      pipeline_.feed(slot.pixels.const_data_ptr());
    }
    ++fed_;
  }

  /// What a GPU receives of a batch: files are decoded on the host.
  std::uint64_t pixel_bytes(const Slot& slot) const {
    return images_.in_files() ? static_cast<std::uint64_t>(options_.batch) * kRgbBytes
                              : slot.pixels.nbytes();
  }

  at::Tensor on_host(const at::Tensor& tensor) const {
    return options_.pin_memory && options_.device.is_cuda() ? tensor.pin_memory() : tensor;
  }

  Batch take() {
    Slot& slot = slots_[taken_ % slots_.size()];
    if (options_.device.is_cpu()) {
      slot.result = pipeline_.take(nullptr);
      ++taken_;
      return {view(std::move(slot.result)).to(options_.type), slot.labels};
    }
    const c10::impl::VirtualGuardImpl guard(options_.device.type());
    const c10::Stream stream = guard.getStream(options_.device);
    slot.result = pipeline_.take(stream.native_handle());
    ++taken_;
    Batch batch{view(slot.result).to(options_.type, /*non_blocking=*/true, /*copy=*/true),
                slot.labels.to(options_.device, options_.pin_memory)};
    if (!slot.copied) slot.copied.emplace(options_.device.type());
    slot.copied->record(stream);
    return batch;
  }

  /// A tensor that refers to DALI's memory and keeps it alive.
  at::Tensor view(std::shared_ptr<float> result) const {
    const std::int64_t size = options_.image;
    const bool nhwc = options_.format == at::MemoryFormat::ChannelsLast;
    const std::int64_t plane = size * size;
    const std::vector<std::int64_t> sizes{options_.batch, 3, size, size};
    const std::vector<std::int64_t> strides{3 * plane, nhwc ? 1 : plane, nhwc ? 3 * size : size,
                                            nhwc ? 3 : 1};
    float* data = result.get();
    return at::for_blob(data, sizes)
        .strides(strides)
        .deleter([kept = std::move(result)](void*) {})
        .options(at::TensorOptions(at::kFloat).device(options_.device))
        .target_device(options_.device)
        .make_tensor();
  }

  const Images& images_;
  LoaderOptions options_;
  std::size_t ahead_;  ///< batches in flight
  std::vector<Slot> slots_;
  DaliPipeline pipeline_;  ///< destroyed before the slots
  at::Tensor order_ = at::empty({0}, at::kLong);
  std::size_t batches_ = 0, fed_ = 0, taken_ = 0;  ///< of this epoch
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::string why_no_dali_loader(c10::Device device, bool files) {
  return why_no_dali(gpu_of(device), files);
}

std::unique_ptr<Loader> make_dali_loader(const Images& pictures, const LoaderOptions& options) {
  if (pictures.in_files()) return std::make_unique<DaliLoader>(pictures, options);
  const at::ScalarType type = pictures.pixels.scalar_type();
  if (type != at::kByte && type != at::kFloat && type != at::kDouble)
    throw Error(
        fmt::format("the DALI loader takes bytes, fp32 or fp64, not {}", c10::toString(type)));
  return std::make_unique<DaliLoader>(pictures, options);
}

}  // namespace scalemark::imaging
