// SPDX-License-Identifier: Apache-2.0
// Copies between GPUs, which one process drives, as nvbandwidth does it.
#include "suites/micro/memory/peer_copy.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/clock.hpp"
#include "suites/micro/launch/blocked_samples.hpp"
#include "suites/micro/memory/copy_work.hpp"
#include "suites/micro/memory/local_gpus.hpp"

namespace scalemark::micro {
namespace {

/// Least time per pair and pass, in ns.
constexpr std::uint64_t kLeastTime = 20'000;
constexpr std::uint64_t kMaxCopies = 1000;

/// The copies that run at once.
std::vector<GpuPair> pairs_of(const std::string& pattern, std::size_t gpus) {
  if (pattern == "pair") return {{0, 1}};
  if (pattern == "both_ways") return {{0, 1}, {1, 0}};
  std::vector<GpuPair> pairs;
  for (std::size_t other = 1; other < gpus; ++other)
    pairs.push_back(pattern == "one_to_all" ? GpuPair{0, other} : GpuPair{other, 0});
  return pairs;
}

std::vector<CopyDevices> devices_of(const Case& c, const LocalGpus& gpus,
                                    const std::vector<GpuPair>& pairs) {
  std::vector<CopyDevices> paths;
  for (const auto& [from, to] : pairs)
    paths.push_back(
        {c.text("peer_operation") == "read" ? &gpus[to] : &gpus[from], &gpus[from], &gpus[to]});
  return paths;
}

/// Access between the GPUs of `pairs`, unless the case asks for copies without it.
std::vector<std::unique_ptr<device::PeerAccess>> wanted_access(const Case& c, const LocalGpus& gpus,
                                                               const std::vector<GpuPair>& pairs) {
  return c.flag("peer_access") ? enable_access(c, gpus, pairs)
                               : std::vector<std::unique_ptr<device::PeerAccess>>();
}

void measure_at_once(Case& c, const LocalGpus& gpus, const CopyPlan& plan) {
  const std::vector<GpuPair> pairs = pairs_of(c.text("pattern"), gpus.size());
  const auto access = wanted_access(c, gpus, pairs);
  CopyWork work(c, plan, static_cast<std::size_t>(c.integer("bytes")), devices_of(c, gpus, pairs));
  c.verify("every copied byte against its path's pattern", [&] { return work.check(); });
  const double counted =
      static_cast<double>(c.integer("bytes")) * static_cast<double>(pairs.size());
  c.work({.bytes = counted, .formula = "bytes of all copies / time"});
  c.measure_timed([&](std::uint64_t copies) { return work.time(copies); },
                  {.metric = "time", .barrier = false});
  // Without access the host takes part, and would wait for the blocking kernel.
  if (c.flag("peer_access")) work.measure_by_events(counted);
}

/// The matrix: each pair in turn.
class Matrix {
 public:
  Matrix(Case& c, const LocalGpus& gpus, const CopyPlan& plan)
      : gpus_(gpus),
        pairs_(all_gpu_pairs(gpus.size())),
        by_clock_(pairs_.size()),
        by_events_(pairs_.size()) {
    for (const GpuPair& pair : pairs_)
      work_.push_back(std::make_unique<CopyWork>(
          c, plan, static_cast<std::size_t>(c.integer("bytes")), devices_of(c, gpus, {pair})));
  }

  Case::Checked check() {
    Case::Checked all;
    for (const auto& work : work_) all += work->check();
    return all;
  }

  /// Copies per pair that take long enough to time.
  std::uint64_t copies() {
    const std::uint64_t once = std::max<std::uint64_t>(pass(1), 1);
    return std::clamp<std::uint64_t>(kLeastTime / once + 1, 1, kMaxCopies);
  }

  /// Nanoseconds of the slowest pair.
  std::uint64_t pass(std::uint64_t copies) {
    return by_clock_.pass([&](std::size_t pair) { return work_[pair]->time(copies); });
  }

  void prepare_events() {
    for (const auto& work : work_) work->prepare_events();
  }

  /// Nanoseconds of the slowest pair's batch, by events.
  std::uint64_t pass_by_events() {
    return by_events_.pass([&](std::size_t pair) {
      return blocked_.take([&]() -> std::optional<std::uint64_t> {
        const auto batch = work_[pair]->time_batch();
        return batch ? std::optional(batch->device_ns) : std::nullopt;
      });
    });
  }

  const PairSamples& by_clock() const { return by_clock_; }
  const PairSamples& by_events() const { return by_events_; }
  std::int64_t discarded() const { return blocked_.discarded(); }
  Table table() const { return pair_table(gpus_, pairs_); }

 private:
  const LocalGpus& gpus_;
  std::vector<GpuPair> pairs_;
  std::vector<std::unique_ptr<CopyWork>> work_;
  PairSamples by_clock_, by_events_;
  BlockedSamples blocked_;
};

void add_times(Table& table, const std::string& prefix, std::vector<double> seconds, double bytes) {
  std::vector<double> rates;
  for (const double one : seconds) rates.push_back(bytes / one);
  table.columns.push_back({prefix + "time", "s", std::move(seconds)});
  table.columns.push_back({prefix + "bandwidth", "By/s", std::move(rates)});
}

void measure_all_pairs(Case& c, const LocalGpus& gpus, const CopyPlan& plan) {
  const auto access = wanted_access(c, gpus, all_gpu_pairs(gpus.size()));
  Matrix matrix(c, gpus, plan);
  c.verify("every copied byte against its pair's pattern", [&] { return matrix.check(); });
  const auto bytes = static_cast<double>(c.integer("bytes"));
  c.work({.bytes = bytes, .formula = "bytes / time of the slowest pair"});
  const std::uint64_t copies = matrix.copies();
  const std::size_t timed = c.measure_timed([&](std::uint64_t) { return matrix.pass(copies); },
                                            {.metric = "time", .inner = copies, .barrier = false});
  Table table = matrix.table();
  add_times(table, "", matrix.by_clock().medians(timed, copies), bytes);
  // Without access the host takes part, and would wait for the blocking kernel.
  if (c.flag("peer_access")) {
    matrix.prepare_events();
    const std::size_t batches = c.measure_timed(
        [&] { return matrix.pass_by_events(); },
        {.metric = "event_time", .inner = CopyWork::kBatch, .barrier = false, .secondary = true});
    c.record_rate("event_bandwidth", "By/s", "event_time", bytes, "bytes / event_time");
    c.fact("discarded_samples", matrix.discarded());
    add_times(table, "event_", matrix.by_events().medians(batches, CopyWork::kBatch), bytes);
  }
  c.recorder().table("pairs", std::move(table));
}

}  // namespace

void peer_axes(Benchmark& benchmark) {
  benchmark.axis(
      "pattern",
      {.values = {"pair", "both_ways", "one_to_all", "all_to_one", "all_pairs"},
       .defaults = {"pair", "both_ways", "all_pairs"},
       .implied = "pair",
       .doc = "Copies between GPUs (direction=peer) that run at once; all_pairs: each in "
              "turn"});
  benchmark.axis("peer_operation",
                 {.values = {"write", "read"},
                  .defaults = {"write"},
                  .implied = "write",
                  .doc = "direction=peer: whether the GPU that copies writes to the "
                         "other, or reads from it"});
  benchmark.axis_boolean("peer_access",
                         {.defaults = {true},
                          .implied = true,
                          .doc = "direction=peer: whether GPUs reach each other's memory; false: "
                                 "through host memory"});
  benchmark.adjust([](Point& point) {
    if (point.text("direction") == "peer") point["ranks"] = std::int64_t{1};
  });
}

bool peer_copy_makes_sense(const Point& point) {
  const std::string &pattern = point.text("pattern"), &operation = point.text("peer_operation");
  if (point.text("direction") != "peer")
    return pattern == "pair" && operation == "write" && point.flag("peer_access");
  // Kernels need access.
  return point.text("host_memory") == "pageable" &&
         (point.flag("peer_access") || point.text("engine") == "copy_engine");
}

void copy_between_gpus(Case& c) {
  const CopyPlan plan = plan_copy(c.result().params);
  const LocalGpus gpus(c);
  if (c.text("pattern") == "all_pairs") return measure_all_pairs(c, gpus, plan);
  measure_at_once(c, gpus, plan);
}

}  // namespace scalemark::micro
