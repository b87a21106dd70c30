// SPDX-License-Identifier: Apache-2.0
// The threads loader: worker threads fill a ring of batches, which are returned in order.
#include "suites/imaging/loader/loader_threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "common/base/error.hpp"
#include "common/base/no_throw.hpp"
#include "suites/imaging/data/resample.hpp"

namespace scalemark::imaging {
namespace {

/// A slot of the ring: one batch on the host. The worker that fills it touches its memory first, so
/// the memory is on that worker's NUMA node.
struct Slot {
  at::Tensor images, labels;
  std::optional<c10::Event> sent;  ///< copy to the device that may still read the slot
};

class ThreadsLoader final : public Loader {
 public:
  ThreadsLoader(const Images& pictures, const LoaderOptions& options)
      : images_(pictures),
        options_(options),
        resampler_(pictures.pixels.size(1), pictures.pixels.size(2), pictures.pixels.size(3),
                   options.image, options.mean, options.std),
        slots_(static_cast<std::size_t>(std::max(1, options.workers * options.prefetch) + 1)) {
    const auto host =
        at::TensorOptions().pinned_memory(options.pin_memory && options.device.is_cuda());
    for (Slot& slot : slots_) {
      slot.images = at::empty({options.batch, 3, options.image, options.image},
                              host.dtype(options.narrow.value_or(options.type)), options.format);
      slot.labels = at::empty({options.batch}, host.dtype(at::kLong));
    }
    for (int i = 0; i < options.workers; ++i) workers_.emplace_back([this] { work(); });
  }

  ~ThreadsLoader() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    ignore_errors("wait for copies of batches", [this] { wait_for_copies(); });
  }
  ThreadsLoader(const ThreadsLoader&) = delete;
  ThreadsLoader& operator=(const ThreadsLoader&) = delete;

  void start(std::vector<std::int64_t> order) override {
    std::unique_lock lock(mutex_);
    begun_ = batches_ = 0;  // workers start no further batch
    changed_.wait(lock, [&] { return busy_ == 0; });
    wait_for_copies();
    order_ = std::move(order);
    batches_ = order_.size() / static_cast<std::size_t>(options_.batch);
    begun_ = taken_ = 0;
    failure_ = nullptr;
    ready_.assign(slots_.size(), false);
    lock.unlock();
    changed_.notify_all();
  }

  Batch next() override {
    const std::size_t index = taken_;
    if (index >= batches_) throw Error("the loader has no further batch in this epoch");
    Slot& slot = slots_[index % slots_.size()];
    if (workers_.empty()) {
      fill(slot, index);
    } else {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ready_[index % slots_.size()] || failure_; });
      if (failure_) std::rethrow_exception(failure_);
    }
    const Batch batch = send(slot);
    {
      // The slot returned by the previous call is free now.
      const std::lock_guard lock(mutex_);
      ready_[index % slots_.size()] = false;
      ++taken_;
    }
    changed_.notify_all();
    return batch;
  }

  std::uint64_t bytes() const override { return bytes_; }

 private:
  void work() {
    // New threads start on GPU 0, where the first call would open a context.
    const c10::DeviceGuard guard(options_.device);
    std::unique_lock lock(mutex_);
    for (;;) {
      // One slot is held by the caller.
      changed_.wait(lock, [&] {
        return ending_ || (begun_ < batches_ && begun_ + 1 < taken_ + slots_.size());
      });
      if (ending_) return;
      const std::size_t index = begun_++;
      ++busy_;
      lock.unlock();
      std::exception_ptr failure;
      try {
        fill(slots_[index % slots_.size()], index);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      --busy_;
      if (failure) failure_ = failure;
      ready_[index % slots_.size()] = true;
      changed_.notify_all();
    }
  }

  void fill(Slot& slot, std::size_t index) {
    if (slot.sent) slot.sent->synchronize();
    const bool bytes = images_.pixels.scalar_type() == at::kByte;
    switch (slot.images.scalar_type()) {
      case at::kDouble:
        return bytes ? fill_images<std::uint8_t, double, double>(slot, index)
                     : fill_images<double, double, double>(slot, index);
      case at::kHalf:
        return bytes ? fill_images<std::uint8_t, float, at::Half>(slot, index)
                     : fill_images<float, float, at::Half>(slot, index);
      case at::kBFloat16:
        return bytes ? fill_images<std::uint8_t, float, at::BFloat16>(slot, index)
                     : fill_images<float, float, at::BFloat16>(slot, index);
      default:
        return bytes ? fill_images<std::uint8_t, float, float>(slot, index)
                     : fill_images<float, float, float>(slot, index);
    }
  }

  /// Images of `Pixel` are computed as T and stored as Stored.
  template <typename Pixel, typename T, typename Stored>
  void fill_images(Slot& slot, std::size_t index) {
    const Layout layout =
        options_.format == at::MemoryFormat::ChannelsLast ? Layout::nhwc : Layout::nchw;
    const auto* pixels = images_.pixels.const_data_ptr<Pixel>();
    const auto* labels = images_.labels.const_data_ptr<std::int64_t>();
    auto* images = slot.images.mutable_data_ptr<Stored>();
    auto* wanted = slot.labels.mutable_data_ptr<std::int64_t>();
    const auto batch = static_cast<std::size_t>(options_.batch);
    std::vector<T> wide(
        std::is_same_v<T, Stored> ? 0 : static_cast<std::size_t>(resampler_.output_size()));
    for (std::size_t i = 0; i < batch; ++i, images += resampler_.output_size()) {
      const std::int64_t sample = order_[index * batch + i];
      const Pixel* const from = pixels + sample * resampler_.input_size();
      if constexpr (std::is_same_v<T, Stored>) {
        resampler_.run(from, images, layout);
      } else {
        resampler_.run(from, wide.data(), layout);
        std::ranges::transform(wide, images, [](T value) { return static_cast<Stored>(value); });
      }
      wanted[i] = labels[sample];
    }
  }

  Batch send(Slot& slot) {
    bytes_ += slot.images.nbytes() + slot.labels.nbytes();
    if (options_.device.is_cpu()) return {slot.images, slot.labels};
    Batch batch{slot.images.to(options_.device, options_.pin_memory),
                slot.labels.to(options_.device, options_.pin_memory)};
    if (options_.pin_memory) {
      const c10::impl::VirtualGuardImpl guard(options_.device.type());
      if (!slot.sent) slot.sent.emplace(options_.device.type());
      slot.sent->record(guard.getStream(options_.device));
    }
    return batch;
  }

  void wait_for_copies() {
    for (Slot& slot : slots_) {
      if (slot.sent) slot.sent->synchronize();
    }
  }

  const Images& images_;
  LoaderOptions options_;
  Resampler resampler_;
  std::vector<Slot> slots_;
  std::vector<std::int64_t> order_;
  std::uint64_t bytes_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t batches_ = 0;  ///< of this epoch
  std::size_t begun_ = 0;    ///< by the workers; the next batch to fill
  std::size_t taken_ = 0;    ///< by the caller; the next batch to return
  std::size_t busy_ = 0;     ///< workers that are filling a slot
  std::vector<bool> ready_;
  bool ending_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

}  // namespace

std::unique_ptr<Loader> make_threads_loader(const Images& pictures, const LoaderOptions& options) {
  return std::make_unique<ThreadsLoader>(pictures, options);
}

}  // namespace scalemark::imaging
