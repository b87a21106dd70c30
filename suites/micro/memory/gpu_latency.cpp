// SPDX-License-Identifier: Apache-2.0
// Dependent loads by one thread of a GPU.
#include "suites/micro/memory/gpu_latency.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/device/blocker.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/launch/blocked_samples.hpp"
#include "suites/micro/memory/local_gpus.hpp"
#include "suites/micro/memory/numa_choice.hpp"
#include "suites/micro/memory/pointer_chain.hpp"

namespace scalemark::micro {
namespace {

using device::MemoryKind;

/// Loads of one operation: 1 ms or more on any GPU, so that the start of the kernel and the
/// resolution of events (0.5 us) do not count.
constexpr std::uint64_t kGpuLoads = 4000;

/// A chain in memory, and the GPU that loads it.
class GpuChase {
 public:
  GpuChase(const PointerChain& chain, device::Device& reader, device::Buffer memory)
      : chain_(chain), reader_(reader), memory_(std::move(memory)) {
    reader_.make_current();
    at_ = reader_.allocate(sizeof(std::uint64_t), MemoryKind::device);
    stream_ = reader_.make_stream();
    blocker_ = device::make_blocker(reader_);
    begin_ = reader_.make_event();
    end_ = reader_.make_event();
    std::vector<std::uint64_t> words(chain.words());
    chain.write(words.data());
    reader_.copy(memory_.data(), words.data(), words.size() * sizeof(words[0]), *stream_);
    stream_->synchronize();
    go_to_start();
    // Load the kernel now: at its first launch it would wait for the blocking kernel.
    start_chase(memory_.as<std::uint64_t>(), at_.as<std::uint64_t>(), 1, *stream_);
    go_to_start();
  }

  /// Nanoseconds of kGpuLoads loads.
  std::uint64_t time() {
    return samples_.take([this] { return once(); });
  }

  Checked check() {
    std::uint64_t at = 0;
    reader_.make_current();
    reader_.copy(&at, at_.data(), sizeof at, *stream_);
    stream_->synchronize();
    const Checked result = chain_.check(at, loads_);
    go_to_start();
    return result;
  }

  std::int64_t discarded() const { return samples_.discarded(); }

 private:
  std::optional<std::uint64_t> once() {
    reader_.make_current();
    blocker_->block(*stream_);
    begin_->record(*stream_);
    start_chase(memory_.as<std::uint64_t>(), at_.as<std::uint64_t>(), kGpuLoads, *stream_);
    end_->record(*stream_);
    blocker_->release();
    stream_->synchronize();
    loads_ += kGpuLoads;
    if (blocker_->gave_up()) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(end_->seconds_since(*begin_) * 1e9));
  }

  void go_to_start() {
    const std::uint64_t start = chain_.start();
    reader_.copy(at_.data(), &start, sizeof start, *stream_);
    stream_->synchronize();
    loads_ = 0;
  }

  const PointerChain& chain_;
  device::Device& reader_;
  device::Buffer memory_, at_;  ///< at_: position of the last load
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Blocker> blocker_;
  std::unique_ptr<device::Event> begin_, end_;
  BlockedSamples samples_;
  std::uint64_t loads_ = 0;  ///< since go_to_start()
};

constexpr const char* kRule = "where the chain stands, against its order";
const MeasureOptions kOptions{.metric = "load_latency", .scale = 1.0 / kGpuLoads, .barrier = false};

void measure_own(Case& c, const PointerChain& chain) {
  device::Device& gpu = c.hardware().gpu();
  const bool host = c.text("place") == "host";
  const NumaChoice numa = host ? require_numa(c) : NumaChoice();
  const std::uint64_t bytes = bytes_of(c.result().params);
  GpuChase chase(
      chain, gpu,
      host ? gpu.allocate(bytes, device::memory_kind_from(c.text("host_memory")), numa.node)
           : gpu.allocate(bytes, MemoryKind::device));
  c.verify(kRule, [&] { return chase.check(); });
  c.measure_timed([&] { return chase.time(); }, kOptions);
  c.fact("discarded_samples", chase.discarded());
}

/// Each pair in turn, so that no two chains share a link. From: where the memory is.
void measure_peers(Case& c, const PointerChain& chain) {
  const LocalGpus gpus(c);
  const std::vector<GpuPair> pairs = all_gpu_pairs(gpus.size());
  const auto access = enable_access(c, gpus, pairs);
  std::vector<std::unique_ptr<GpuChase>> chases;
  for (const auto& [from, to] : pairs) {
    gpus[from].make_current();
    chases.push_back(std::make_unique<GpuChase>(
        chain, gpus[to], gpus[from].allocate(bytes_of(c.result().params), MemoryKind::device)));
  }
  c.verify(kRule, [&] {
    Checked all;
    for (const auto& chase : chases) all += chase->check();
    return all;
  });
  PairSamples samples(pairs.size());
  const std::size_t timed = c.measure_timed(
      [&] { return samples.pass([&](std::size_t pair) { return chases[pair]->time(); }); },
      kOptions);
  Table table = pair_table(gpus, pairs);
  table.columns.push_back({"latency", "s", samples.medians(timed, kGpuLoads)});
  c.recorder().table("pairs", std::move(table));
  std::int64_t discarded = 0;
  for (const auto& chase : chases) discarded += chase->discarded();
  c.fact("discarded_samples", discarded);
}

}  // namespace

void measure_gpu_latency(Case& c) {
  const PointerChain chain(bytes_of(c.result().params));
  if (c.text("place") == "peer") return measure_peers(c, chain);
  measure_own(c, chain);
}

}  // namespace scalemark::micro
