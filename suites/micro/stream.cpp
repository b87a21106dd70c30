// SPDX-License-Identifier: Apache-2.0
// STREAM (McCalpin 1995): copy, scale, add and triad over arrays of `bytes` each, by all compute
// threads of each rank at once.
#include <cstdint>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/host_team.hpp"
#include "suites/micro/numa_choice.hpp"
#include "suites/micro/stream_kernels.hpp"

namespace scalemark {
namespace {

/// Three arrays in memory of the host. Their values are small integers, so every loop is exact.
template <typename T>
class HostArrays {
 public:
  HostArrays(Case& c, HostTeam& team, std::size_t count, int node)
      : team_(team), count_(count), rank_(c.rank()) {
    const auto memory = [&] {
      return c.host().allocate(count * sizeof(T), device::memory_kind_from(c.text("host_memory")),
                               node);
    };
    to_ = memory(), from_ = memory(), other_ = memory();
    for (std::size_t i = 0; i < count; ++i) {
      from_.as<T>()[i] = from(i);
      other_.as<T>()[i] = other(i);
    }
    reset();
  }

  void run(StreamKernel kernel, bool past_caches) {
    const StreamArrays<T> arrays{to_.as<T>(), from_.as<T>(), other_.as<T>()};
    team_.run([&](int member) {
      const std::size_t begin = part(member), end = part(member + 1);
      if (past_caches)
        stream_past_caches(kernel, arrays, begin, end);
      else
        stream(kernel, arrays, begin, end);
    });
  }

  Case::Checked check(StreamKernel kernel) {
    Case::Checked result{count_, 0};
    for (std::size_t i = 0; i < count_; ++i)
      result.wrong += to_.as<T>()[i] == expected(kernel, i) ? 0 : 1;
    reset();
    return result;
  }

 private:
  /// Where a member begins: parts are whole pages, so that no line is written by two.
  std::size_t part(int member) const {
    const std::size_t page = 4096 / sizeof(T), pages = (count_ + page - 1) / page;
    const auto share =
        pages * static_cast<std::size_t>(member) / static_cast<std::size_t>(team_.size());
    return std::min(count_, share * page);
  }
  T from(std::size_t i) const {
    return static_cast<T>((i * 7 + static_cast<std::size_t>(rank_)) % 1021);
  }
  T other(std::size_t i) const { return static_cast<T>(i * 3 % 509); }
  T expected(StreamKernel kernel, std::size_t i) const {
    constexpr T kScalar = static_cast<T>(kStreamScalar);
    switch (kernel) {
      case StreamKernel::copy:
        return from(i);
      case StreamKernel::scale:
        return kScalar * from(i);
      case StreamKernel::add:
        return from(i) + other(i);
      case StreamKernel::triad:
        break;
    }
    return from(i) + kScalar * other(i);
  }
  void reset() { std::fill_n(to_.as<T>(), count_, T{-1}); }

  HostTeam& team_;
  std::size_t count_;
  int rank_;
  device::Buffer to_, from_, other_;
};

/// Bytes that STREAM counts, and those that go to and from memory: a plain store of a line that is
/// in no cache reads it first.
void state_work(Case& c, StreamKernel kernel, std::size_t count, std::size_t element, int node) {
  const auto arrays = static_cast<double>(stream_reads(kernel) + 1);
  const auto bytes = static_cast<double>(count * element);
  const bool past_caches = c.text("stores") == "non_temporal";
  c.work({.bytes = arrays * bytes,
          .moved = (arrays + (past_caches ? 0 : 1)) * bytes,
          .flops = static_cast<double>(stream_flops(kernel)) * static_cast<double>(count),
          .precision = c.text("dtype"),
          .formula = "bytes read and written / time",
          .carrier = Carrier::host_memory,
          .memory_node = node});
}

template <typename T>
void run_on_host(Case& c) {
  const StreamKernel kernel = stream_kernel_from(c.text("operation"));
  const bool past_caches = c.text("stores") == "non_temporal";
  const NumaChoice numa = require_numa(c);
  if (past_caches && !why_no_stores_past_caches().empty()) c.skip(why_no_stores_past_caches());
  const std::size_t count = static_cast<std::size_t>(c.integer("bytes")) / sizeof(T);
  HostTeam team(c.threads(), c.thread_cpus());
  HostArrays<T> arrays(c, team, count, numa.node);
  c.verify("every element against the loop's exact result", [&] { return arrays.check(kernel); });
  state_work(c, kernel, count, sizeof(T), numa.node);
  c.measure([&] { arrays.run(kernel, past_caches); },
            {.metric = "time", .inner = 0, .barrier = false});
  const auto ranks = static_cast<double>(c.size());
  c.record_rate("total_bandwidth", "By/s", "time",
                ranks * (stream_reads(kernel) + 1) * static_cast<double>(count * sizeof(T)),
                "ranks * bytes read and written / time");
}

void measure_stream(Case& c) {
  if (c.text("device") == "cuda") c.skip("not on GPUs yet");
  c.text("dtype") == "fp64" ? run_on_host<double>(c) : run_on_host<float>(c);
}

SCALEMARK_BENCHMARK("micro/stream", measure_stream)
    .doc("STREAM: copy, scale, add, triad over three arrays")
    .axis("operation", {"copy", "scale", "add", "triad"})
    .axis("stores", {"plain", "non_temporal"}, {"plain"})
    .implied(std::string("plain"))
    .axis("dtype", {"fp64", "fp32"}, {"fp64"})
    .implied(std::string("fp64"))
    .axis("host_memory", {"pageable", "huge_pages"}, {"pageable"})
    .implied(std::string("pageable"))
    .with(numa_axis)
    .axis_integer("bytes", 8, std::int64_t{1} << 38, "32K:128M:*16", "128M")
    .compute_axes()
    .rank_local()
    .memory([](const Params& p) {
      return 3 * static_cast<std::uint64_t>(std::get<std::int64_t>(p.at("bytes")));
    });

}  // namespace
}  // namespace scalemark
