// SPDX-License-Identifier: Apache-2.0
// Copies and STREAM's triad as micro/memcpy and micro/stream run them, against a plain C program on
// the same buffers, block by block in turn: plain_loops [BLOCKS]. Exit code 1 if the median over
// the sizes of the ratio of times is above 1.02 for any of them, or if data are wrong.
#include "tests/suites/micro/plain_loops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sched.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/device/device.hpp"
#include "common/stats/summary.hpp"
#include "suites/micro/memory/host_stream.hpp"

namespace scalemark::micro {
namespace {

constexpr std::size_t kSmallest = 32 << 10, kLargest = 128 << 20;
/// Below the time slice of a scheduler: who else runs disturbs some blocks, not all.
constexpr std::uint64_t kBlockTime = 1'000'000;  // ns
constexpr double kMaxRatio = 1.02;

/// Nanoseconds of so many operations, in one call.
using Timed = std::function<std::uint64_t(std::size_t times)>;

/// As Case::measure() takes a sample: the operation is called through a std::function.
Timed by_harness(std::function<void()> operation) {
  return [start = std::move(operation)](std::size_t times) {
    const std::uint64_t began = now_ns();
    for (std::size_t i = 0; i < times; ++i) start();
    return now_ns() - began;
  };
}

struct Point {
  double ours = 0, plain = 0;  ///< ns an operation, medians over blocks
  double ratio() const { return ours / plain; }
};

Point compare(const Timed& ours, const Timed& plain, int blocks) {
  ours(1);
  std::size_t times = 1;
  for (std::uint64_t took = plain(1); took < kBlockTime && times < (1U << 24U);) {
    times *= 2;
    took = plain(times);
  }
  std::vector<double> our_times, plain_times;
  const auto take = [&](const Timed& timed, std::vector<double>& to) {
    timed(1);  // threads that sleep wake up, the caches are this side's
    to.push_back(static_cast<double>(timed(times)) / static_cast<double>(times));
  };
  for (int block = 0; block < blocks; ++block) {
    if (block % 2 == 0) take(ours, our_times);
    take(plain, plain_times);
    if (block % 2 != 0) take(ours, our_times);
  }
  return {stats::median(our_times), stats::median(plain_times)};
}

/// The narrowest pair of order statistics that covers the median with 95 % (binomial; exact).
stats::Interval order_interval(std::vector<double> values) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  double term = std::pow(0.5, n), below = term;  // P(Binomial(n, 1/2) <= k)
  std::size_t k = 0;
  while (below <= 0.025) {
    ++k;
    term *= (n - static_cast<double>(k) + 1) / static_cast<double>(k);
    below += term;
  }
  const std::size_t low = k > 0 ? k - 1 : 0;
  return {values[low], values[values.size() - 1 - low]};
}

device::Buffer allocate(std::size_t bytes) {
  static const auto host = device::make_host_device();
  return host->allocate(bytes, device::MemoryKind::pageable);
}

Point compare_copies(std::size_t bytes, int blocks) {
  const device::Buffer from = allocate(bytes), to = allocate(bytes);
  std::memset(from.data(), 7, bytes);
  std::memset(to.data(), 0, bytes);
  const Point point = compare(
      by_harness([&] { std::memcpy(to.data(), from.data(), bytes); }),
      [&](std::size_t times) { return plain_copies(to.data(), from.data(), bytes, times); },
      blocks);
  if (std::memcmp(to.data(), from.data(), bytes) != 0) throw Error("wrong data: the copy");
  return point;
}

/// A thread on each of these cores, on both sides; none: one thread, anywhere.
Point compare_triads(const std::vector<int>& cores, std::size_t bytes, int blocks) {
  const std::size_t count = bytes / sizeof(double);
  const int threads = std::max(static_cast<int>(cores.size()), 1);
  const int* cpus = cores.empty() ? nullptr : cores.data();
  std::vector<hardware::CpuSet> places;
  for (const int core : cores) places.push_back({core});
  HostTeam team(threads, places);
  HostStreamArrays<double> arrays(team, count, 0, allocate);
  const StreamArrays<double> same = arrays.operands();
  // As the benchmark does: all loops of a sample in one call.
  const Timed ours = [&](std::size_t times) {
    const std::uint64_t began = now_ns();
    arrays.run(StreamKernel::triad, false, times);
    return now_ns() - began;
  };
  const Timed plain = [&](std::size_t times) {
    return plain_triads(threads, cpus, same.to, same.from, same.other, kStreamScalar, count, times);
  };
  for (const Timed* one : {&ours, &plain}) {
    (*one)(1);
    if (arrays.check(StreamKernel::triad).wrong > 0) throw Error("wrong data: the triad");
  }
  return compare(ours, plain, blocks);
}

/// Prints a table of all sizes; false if the median ratio is too high.
bool show(const std::string& name, double bytes_per_byte,
          const std::function<Point(std::size_t)>& measure) {
  fmt::print("\n{}\n{:>12} {:>12} {:>12} {:>8}\n", name, "bytes", "plain GB/s", "ours GB/s",
             "ratio");
  std::vector<double> ratios;
  for (std::size_t bytes = kSmallest; bytes <= kLargest; bytes *= 2) {
    const Point point = measure(bytes);
    const double moved = bytes_per_byte * static_cast<double>(bytes);
    ratios.push_back(point.ratio());
    fmt::print("{:>12} {:>12.2f} {:>12.2f} {:>8.3f}\n", bytes, moved / point.plain,
               moved / point.ours, point.ratio());
    std::fflush(stdout);
  }
  const double middle = stats::median(ratios);
  const stats::Interval interval = order_interval(ratios);
  const bool good = middle <= kMaxRatio;
  fmt::print("median ratio of times, ours / plain: {:.3f} [{:.3f}, {:.3f}] {}\n", middle,
             interval.low, interval.high, good ? "ok" : "TOO HIGH");
  return good;
}

std::vector<int> usable_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

int run(int blocks) {
  fmt::print("{} blocks a size and side, in turn; times are medians over blocks\n", blocks);
  bool good = show("h2h copy against memcpy, one thread (bytes copied)", 1,
                   [&](std::size_t bytes) { return compare_copies(bytes, blocks); });
  good &= show("STREAM triad, one thread (bytes of an array; rate of all three)", 3,
               [&](std::size_t bytes) { return compare_triads({}, bytes, blocks); });
  const std::vector<int> cores = usable_cores();
  if (cores.size() > 1)
    good &= show(fmt::format("STREAM triad, {} threads, each on its core", cores.size()), 3,
                 [&](std::size_t bytes) { return compare_triads(cores, bytes, blocks); });
  return good ? 0 : 1;
}

}  // namespace
}  // namespace scalemark::micro

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 51;
  if (argc > 2 || blocks < 1) {
    fmt::print(stderr, "plain_loops [BLOCKS]\n");
    return 2;
  }
  try {
    return scalemark::micro::run(blocks);
  } catch (const std::exception& error) {
    fmt::print(stderr, "plain_loops: {}\n", error.what());
    return 1;
  }
}
