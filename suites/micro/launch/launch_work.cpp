// SPDX-License-Identifier: Apache-2.0
// Measures call, start, completion and queue rate of kernel launches.
#include "suites/micro/launch/launch_work.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/error.hpp"
#include "suites/micro/launch/blocked_samples.hpp"

namespace scalemark::micro {
namespace {

constexpr int kKernelsBetweenSyncs = 32;
constexpr int kKernelsQueued = 128;
constexpr std::uint64_t kStartLimitNs = 5'000'000'000;
constexpr int kTries = 3;

/// At least one launch per stream.
int launches(int kernels, int graph_nodes, int streams) {
  return std::max(streams, kernels / std::max(graph_nodes, 1));
}

}  // namespace

LaunchWork::LaunchWork(device::LaunchQueue& queue, int graph_nodes,
                       std::function<std::uint64_t()> now)
    : queue_(queue),
      now_(std::move(now)),
      calls_(launches(kKernelsBetweenSyncs, graph_nodes, queue.streams())),
      queued_(launches(kKernelsQueued, graph_nodes, queue.streams())) {}

void LaunchWork::launch_next() {
  queue_.launch(turn_);
  turn_ = turn_ + 1 == queue_.streams() ? 0 : turn_ + 1;
}

std::uint64_t LaunchWork::time_calls() {
  const std::uint64_t began = now_();
  for (int i = 0; i < calls_; ++i) launch_next();
  const std::uint64_t taken = now_() - began;
  queue_.synchronize();
  return taken;
}

std::uint64_t LaunchWork::time_start() {
  queue_.clear_mark();
  const std::uint64_t began = now_();
  queue_.launch_marking();
  while (!queue_.is_marked()) {
    if (now_() - began > kStartLimitNs) throw Error("a kernel did not start within 5 s");
  }
  const std::uint64_t taken = now_() - began;
  queue_.synchronize();
  return taken;
}

std::optional<std::uint64_t> LaunchWork::time_queue() {
  queue_.block();
  for (int i = 0; i < queued_; ++i) launch_next();
  const std::optional<double> seconds = queue_.release_and_time();
  if (seconds) return static_cast<std::uint64_t>(std::llround(*seconds * 1e9));
  ++discarded_;
  return std::nullopt;
}

std::uint64_t LaunchWork::time_valid_queue() {
  return BlockedSamples().take([this] { return time_queue(); });
}

bool LaunchWork::queue_holds() {
  for (int i = 0; i < kTries; ++i) {
    if (time_queue()) return true;
  }
  return false;
}

void measure_launches(Case& c, device::LaunchQueue& queue, int graph_nodes) {
  LaunchWork work(queue, graph_nodes);
  const auto times = [](int count) { return static_cast<std::uint64_t>(count); };
  c.measure([&] { work.launch_next(); }, [&] { queue.synchronize(); },
            {.metric = "latency", .inner = times(queue.streams()), .barrier = false});
  if (graph_nodes > 0)
    c.record_rate("node_rate", "1/s", "latency", graph_nodes, "graph_nodes / latency");
  c.measure_timed(
      [&] { return work.time_calls(); },
      {.metric = "launch_time", .inner = times(work.calls()), .barrier = false, .secondary = true});
  c.measure_timed([&] { return work.time_start(); },
                  {.metric = "start_latency", .barrier = false, .secondary = true});
  c.fact("answer_time", queue.answer_time());
  if (c.all_ranks(work.queue_holds())) {
    c.measure_timed([&] { return work.time_valid_queue(); }, {.metric = "queue_time",
                                                              .inner = times(work.queued()),
                                                              .barrier = false,
                                                              .secondary = true});
    c.record_rate("launch_rate", "1/s", "queue_time", 1, "1 / queue_time");
    if (graph_nodes > 0)
      c.record_rate("queued_node_rate", "1/s", "queue_time", graph_nodes,
                    "graph_nodes / queue_time");
    c.fact("queued_launches", static_cast<std::int64_t>(work.queued()));
  } else {
    c.fact("queue_time_missing", std::string("the launch queue is too short for these launches"));
  }
  c.fact("discarded_samples", static_cast<std::int64_t>(work.discarded()));
  c.fact("moved_bytes", std::int64_t{0});
  c.fact("peak_missing", std::string("an empty kernel moves no data and computes nothing"));
}

}  // namespace scalemark::micro
