// SPDX-License-Identifier: Apache-2.0
// Copies between GPUs, which one process drives, as nvbandwidth does it.
#include "suites/micro/memory/peer_copy.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/device/peer_access.hpp"
#include "suites/micro/data/rank_values.hpp"
#include "suites/micro/memory/copy_work.hpp"

namespace scalemark::micro {
namespace {

/// Least time per pair and pass, in ns.
constexpr std::uint64_t kLeastTime = 20'000;
constexpr std::uint64_t kMaxCopies = 1000;

/// The GPUs of this process. That of the rank is the current one again when this ends.
class Gpus {
 public:
  explicit Gpus(Case& c) : own_(c.hardware().gpu()) {
    const int count = device::cuda_device_count();
    if (count < 2) c.skip(fmt::format("needs two GPUs in one process, {} is visible", count));
    for (int index = 0; index < count; ++index) devices_.push_back(device::make_cuda_device(index));
  }
  ~Gpus() { own_.make_current(); }
  Gpus(const Gpus&) = delete;
  Gpus& operator=(const Gpus&) = delete;

  std::size_t size() const { return devices_.size(); }
  device::Device& operator[](std::size_t index) const { return *devices_[index]; }

 private:
  device::Device& own_;
  std::vector<std::unique_ptr<device::Device>> devices_;
};

using Pair = std::pair<std::size_t, std::size_t>;  ///< from, to

/// The copies that run at once.
std::vector<Pair> pairs_of(const std::string& pattern, std::size_t gpus) {
  if (pattern == "pair") return {{0, 1}};
  if (pattern == "both_ways") return {{0, 1}, {1, 0}};
  std::vector<Pair> pairs;
  for (std::size_t other = 1; other < gpus; ++other)
    pairs.push_back(pattern == "one_to_all" ? Pair{0, other} : Pair{other, 0});
  return pairs;
}

std::vector<Pair> all_pairs(std::size_t gpus) {
  std::vector<Pair> pairs;
  for (std::size_t from = 0; from < gpus; ++from) {
    for (std::size_t to = 0; to < gpus; ++to) {
      if (from != to) pairs.emplace_back(from, to);
    }
  }
  return pairs;
}

/// Access in both directions between the GPUs of all pairs. Skips the case where one lacks it.
std::vector<std::unique_ptr<device::PeerAccess>> enable_access(Case& c, const Gpus& gpus,
                                                               const std::vector<Pair>& pairs) {
  std::vector<std::unique_ptr<device::PeerAccess>> all;
  if (!c.flag("peer_access")) return all;
  std::vector<Pair> ordered;
  for (const auto& [from, to] : pairs) {
    for (const Pair& one : {Pair{from, to}, Pair{to, from}}) {
      if (std::ranges::count(ordered, one) > 0) continue;
      ordered.push_back(one);
      const device::Device &device = gpus[one.first], &peer = gpus[one.second];
      if (!device::can_access_peer(device, peer))
        c.skip(fmt::format("GPU {} cannot access the memory of GPU {}", one.first, one.second));
      all.push_back(device::enable_peer_access(device, peer));
    }
  }
  return all;
}

std::vector<CopyDevices> devices_of(const Case& c, const Gpus& gpus,
                                    const std::vector<Pair>& pairs) {
  std::vector<CopyDevices> paths;
  for (const auto& [from, to] : pairs)
    paths.push_back(
        {c.text("peer_operation") == "read" ? &gpus[to] : &gpus[from], &gpus[from], &gpus[to]});
  return paths;
}

void measure_at_once(Case& c, const Gpus& gpus, const CopyPlan& plan) {
  const std::vector<Pair> pairs = pairs_of(c.text("pattern"), gpus.size());
  const auto access = enable_access(c, gpus, pairs);
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

/// The matrix: each pair in turn, so that no two copies share a link.
class Matrix {
 public:
  Matrix(Case& c, const Gpus& gpus, const CopyPlan& plan)
      : gpus_(gpus), pairs_(all_pairs(gpus.size())), taken_(pairs_.size()) {
    for (const Pair& pair : pairs_)
      work_.push_back(std::make_unique<CopyWork>(
          c, plan, static_cast<std::size_t>(c.integer("bytes")), devices_of(c, gpus, {pair})));
  }

  Case::Checked check() {
    Case::Checked all;
    for (const auto& work : work_) {
      const Case::Checked one = work->check();
      all.checked += one.checked;
      all.wrong += one.wrong;
    }
    return all;
  }

  /// Copies per pair that take long enough to time.
  std::uint64_t copies() {
    const std::uint64_t once = std::max<std::uint64_t>(pass(1), 1);
    return std::clamp<std::uint64_t>(kLeastTime / once + 1, 1, kMaxCopies);
  }

  /// Nanoseconds of the slowest pair.
  std::uint64_t pass(std::uint64_t copies) {
    std::uint64_t slowest = 0;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      taken_[i].push_back(work_[i]->time(copies));
      slowest = std::max(slowest, taken_[i].back());
    }
    return slowest;
  }

  Table table(std::size_t passes, std::uint64_t copies, double bytes) const {
    std::vector<std::uint64_t> from, to;
    std::vector<std::string> from_pci, to_pci;
    std::vector<double> seconds, rates;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto [a, b] = pairs_[i];
      from.push_back(a);
      to.push_back(b);
      from_pci.push_back(gpus_[a].pci_bus_id());
      to_pci.push_back(gpus_[b].pci_bus_id());
      const auto first = taken_[i].end() - static_cast<std::ptrdiff_t>(passes);
      seconds.push_back(median_ns({first, taken_[i].end()}) * 1e-9 / static_cast<double>(copies));
      rates.push_back(bytes / seconds.back());
    }
    return {.columns = {{"from_gpu", "", std::move(from)},
                        {"to_gpu", "", std::move(to)},
                        {"from_pci", "", std::move(from_pci)},
                        {"to_pci", "", std::move(to_pci)},
                        {"time", "s", std::move(seconds)},
                        {"bandwidth", "By/s", std::move(rates)}}};
  }

 private:
  const Gpus& gpus_;
  std::vector<Pair> pairs_;
  std::vector<std::unique_ptr<CopyWork>> work_;
  std::vector<std::vector<std::uint64_t>> taken_;  ///< [pair][pass], ns
};

void measure_all_pairs(Case& c, const Gpus& gpus, const CopyPlan& plan) {
  const auto access = enable_access(c, gpus, all_pairs(gpus.size()));
  Matrix matrix(c, gpus, plan);
  c.verify("every copied byte against its pair's pattern", [&] { return matrix.check(); });
  const auto bytes = static_cast<double>(c.integer("bytes"));
  c.work({.bytes = bytes, .formula = "bytes / time of the slowest pair"});
  const std::uint64_t copies = matrix.copies();
  const std::size_t timed = c.measure_timed([&](std::uint64_t) { return matrix.pass(copies); },
                                            {.metric = "time", .inner = copies, .barrier = false});
  c.recorder().table("pairs", matrix.table(timed, copies, bytes));
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
  const Gpus gpus(c);
  if (c.text("pattern") == "all_pairs") return measure_all_pairs(c, gpus, plan);
  measure_at_once(c, gpus, plan);
}

}  // namespace scalemark::micro
