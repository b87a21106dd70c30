// SPDX-License-Identifier: Apache-2.0
// Times batches of operations behind a blocking kernel.
#include "suites/micro/launch/enqueued.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "common/base/clock.hpp"
#include "common/core/exchange.hpp"
#include "common/device/blocker.hpp"
#include "suites/micro/launch/blocked_samples.hpp"

namespace scalemark::micro {
namespace {

/// Seconds after which the blocking kernel lets go of calls that wait for it. To enqueue a batch
/// takes milliseconds.
constexpr double kGivesUp = 0.2;
constexpr std::int64_t kBatchNs = 10'000'000;
constexpr std::int64_t kLargestBatch = 16;

/// Batches of one operation in one stream.
class Batches {
 public:
  Batches(device::Device& device, const std::function<void()>& start, device::Stream& stream)
      : start_(start),
        stream_(stream),
        blocker_(device::make_blocker(device, kGivesUp)),
        begin_(device.make_event()),
        end_(device.make_event()) {}

  /// One operation runs before the events, so that those timed follow one another.
  std::optional<EnqueuedBatch> time(int operations) {
    EnqueuedBatch batch;
    blocker_->block(stream_);
    start_();
    begin_->record(stream_);
    const std::uint64_t before = now_ns();
    for (int i = 0; i < operations; ++i) start_();
    batch.issue_ns = now_ns() - before;
    end_->record(stream_);
    blocker_->release();
    stream_.synchronize();
    if (blocker_->gave_up()) return std::nullopt;
    batch.device_ns = static_cast<std::uint64_t>(std::llround(end_->seconds_since(*begin_) * 1e9));
    return batch;
  }

 private:
  const std::function<void()>& start_;
  device::Stream& stream_;
  std::unique_ptr<device::Blocker> blocker_;
  std::unique_ptr<device::Event> begin_, end_;
};

/// Operations of a batch that fits into the queue of every rank; 0: not even one does.
int batch_size(Case& c, Batches& batches) {
  const std::optional<EnqueuedBatch> one = batches.time(1);
  if (!c.all_ranks(one.has_value())) return 0;
  const std::int64_t ns =
      std::max<std::int64_t>(1, largest(c.ranks(), static_cast<std::int64_t>(one->device_ns)));
  auto size = static_cast<int>(std::clamp<std::int64_t>(kBatchNs / ns, 1, kLargestBatch));
  while (size > 1 && !c.all_ranks(batches.time(size).has_value())) size /= 2;
  return size;
}

}  // namespace

void record_enqueued(Case& c, int operations,
                     const std::function<std::optional<EnqueuedBatch>()>& attempt) {
  std::vector<std::uint64_t> issue;
  BlockedSamples samples;
  const auto sample = [&] {
    return samples.take([&]() -> std::optional<std::uint64_t> {
      const std::optional<EnqueuedBatch> batch = attempt();
      if (!batch) return std::nullopt;
      issue.push_back(batch->issue_ns / static_cast<std::uint64_t>(operations));
      return batch->device_ns;
    });
  };
  // A fixed number of operations per sample: the harness must not choose it.
  const std::size_t timed =
      c.measure_timed(sample, {.metric = "event_time",
                               .inner = static_cast<std::uint64_t>(operations),
                               .barrier = false,
                               .secondary = true});
  issue.erase(issue.begin(), issue.end() - static_cast<std::ptrdiff_t>(timed));
  c.record_durations("issue_time", issue, RankReduce::max, {},
                     "host time to enqueue one operation");
  c.fact("discarded_samples", samples.discarded());
}

void measure_enqueued(Case& c, const std::function<void()>& start, device::Stream& stream) {
  if (c.text("device") != "cuda") return;
  Batches batches(c.device(), start, stream);
  const int operations = batch_size(c, batches);
  if (operations == 0) return c.fact("waits_for_gpu", true);
  record_enqueued(c, operations, [&] { return batches.time(operations); });
}

}  // namespace scalemark::micro
