// SPDX-License-Identifier: Apache-2.0
// A collective and matrix products at the same time, and each alone: how much each slows the other.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/clock.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/core/rank_group.hpp"
#include "suites/micro/collective/collective_point.hpp"
#include "suites/micro/collective/slowdown.hpp"
#include "suites/micro/compute/checked_product.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/rank_values.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

using collective::Call;
using collective::Mode;

/// Most products of a sample, where they are chosen.
constexpr std::int64_t kMostProducts = 10'000;

Call call_of_case(const Point& p, int ranks) {
  Call call = call_of(p, collective::routine_from(p.text("collective")), ranks);
  call.mode = Mode::nonblocking;
  return call;
}

/// Products in a stream of their own, timed there. On the host they run at once.
class Products {
 public:
  Products(Case& c, device::Device& device, const GemmSize& size)
      : stream_(device.make_stream()),
        began_(device.make_event()),
        ended_(device.make_event()),
        product_(c, size, GemmValues::normal, *stream_) {}

  CheckedProduct& one() { return product_; }
  /// Starts `count` products, and calls `probe` so many times between them.
  template <typename Probe>
  void start(std::int64_t count, std::int64_t probes, Probe&& probe) {
    const auto part = [&](std::int64_t i) { return i * (probes + 1) / count; };
    began_->record(*stream_);
    for (std::int64_t i = 0; i < count; ++i) {
      if (i > 0 && part(i) != part(i - 1)) probe();
      product_.start();
    }
    ended_->record(*stream_);
  }
  /// Waits for them. Returns the ns that they took.
  std::uint64_t finish() {
    product_.finish();
    return static_cast<std::uint64_t>(ended_->seconds_since(*began_) * 1e9);
  }
  std::uint64_t run(std::int64_t count) {
    start(count, 0, [] {});
    return finish();
  }

 private:
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> began_, ended_;
  CheckedProduct product_;
};

/// ns that the collective takes alone, on this rank.
std::uint64_t run_alone(const Case& c, collective::Operation& operation) {
  c.ranks().barrier();
  const std::uint64_t start = now_ns();
  operation.run();
  return now_ns() - start;
}

/// Collective. So many products as last as long as the collective on the slowest rank, at least
/// one.
std::int64_t choose_products(Case& c, collective::Operation& operation, Products& products) {
  const Case::Communicating inside(c);
  std::vector<std::uint64_t> latency, compute;
  for (int trial = 0; trial < 9; ++trial) {
    latency.push_back(run_alone(c, operation));
    compute.push_back(products.run(1));
  }
  const auto slowest = [&](const std::vector<std::uint64_t>& taken) {
    return static_cast<double>(largest(c.ranks(), static_cast<std::int64_t>(median_ns(taken))));
  };
  const double wanted = slowest(latency) / std::max(slowest(compute), 1.0);
  return std::clamp(std::llround(wanted), 1LL, static_cast<long long>(kMostProducts));
}

/// The times of all samples, in ns.
struct Series {
  std::vector<std::uint64_t> latency, compute, loaded_latency, loaded_compute, overall;
};

/// One sample: both at the same time, then each alone, so that all three meet the same machine.
std::uint64_t take_both(Case& c, collective::Operation& operation, Products& products,
                        std::int64_t count, Series& series) {
  const std::int64_t probes = c.integer("probes");
  const std::uint64_t start = now_ns();
  std::uint64_t arrived = 0;
  operation.start();
  products.start(count, probes, [&] {
    if (arrived == 0 && operation.test()) arrived = now_ns();
  });
  operation.wait();
  if (arrived == 0) arrived = now_ns();
  series.loaded_compute.push_back(products.finish());
  series.overall.push_back(now_ns() - start);
  series.loaded_latency.push_back(arrived - start);
  series.latency.push_back(run_alone(c, operation));
  series.compute.push_back(products.run(count));
  return series.overall.back();
}

using Taken = std::span<const std::uint64_t>;

/// Keeps the timed samples: the last ones.
void record_series(Case& c, const Series& series, std::size_t timed) {
  const auto last = [&](const std::vector<std::uint64_t>& all) { return Taken(all).last(timed); };
  const Taken latency = last(series.latency), compute = last(series.compute);
  const Taken loaded_latency = last(series.loaded_latency);
  const Taken loaded_compute = last(series.loaded_compute), overall = last(series.overall);
  c.record_durations("latency", latency, RankReduce::max);
  c.record_durations("compute_time", compute, RankReduce::max);
  c.record_durations("loaded_latency", loaded_latency, RankReduce::max);
  c.record_durations("loaded_compute_time", loaded_compute, RankReduce::max);
  record_slowdown(c, "latency_slowdown", loaded_latency, latency, "loaded_latency / latency");
  record_slowdown(c, "compute_slowdown", loaded_compute, compute,
                  "loaded_compute_time / compute_time");
  std::vector<double> hidden;
  for (std::size_t i = 0; i < timed; ++i) {
    const double exposed = static_cast<double>(overall[i]) - static_cast<double>(compute[i]);
    hidden.push_back(1 - exposed / static_cast<double>(latency[i]));
  }
  c.record("overlap_ratio", "1", Better::higher, MetricKind::ratio, RankReduce::mean, hidden,
           "1 - (overall_time - compute_time) / latency");
}

void overlap(Case& c) {
  const std::string& precision = c.text("precision");
  const GemmSize size = gemm_size(c.text("shape"), c.text("model"), c.integer("rows"));
  const Call call = call_of_case(c.result().params, c.size());
  collective::Communicator& comm = c.communicator();
  require_support(c, comm, call, collective::DeviceUse::nonblocking_collectives);
  CollectiveData data(c, comm, call);
  const CaseHardware& hardware = c.hardware();
  Products products(c, c.text("device") == "cuda" ? hardware.gpu() : hardware.host(), size);
  c.throw_if_peer_failed();
  const auto operation = comm.prepare(data.call());
  data.fill(0);
  std::int64_t count = c.integer("products");
  if (count == 0) count = choose_products(c, *operation, products);
  c.verify("every element of the collective, and the product at 2304 places, against exact values",
           {.fill =
                [&](int round) {
                  data.fill(round);
                  products.one().fill_known();
                },
            .check =
                [&](int round) {
                  Case::Checked all = data.check(round);
                  return all += products.one().check();
                },
            .count = 2});
  const double flops = size.flops() * static_cast<double>(count);
  c.work({.flops = flops, .precision = precision, .formula = "products * 2 m n k / overall_time"});
  c.fact("products", count);
  c.fact("total_bytes", static_cast<std::int64_t>(total_bytes(call, c.size())));
  Series series;
  const std::size_t timed =
      c.measure_timed([&] { return take_both(c, *operation, products, count, series); },
                      {.metric = "overall_time", .warmup = 10});
  record_series(c, series, timed);
}

bool can_overlap(const Point& p) {
  return backend_suits_memory(p) && (p.text("shape") != "square" || p.text("model") == "8b");
}

/// Squares, and the layers of Llama3.
std::vector<std::string> shapes() {
  std::vector<std::string> all = gemm_shapes();
  std::erase(all, "best");
  return all;
}

SCALEMARK_BENCHMARK("micro/overlap", overlap)
    .doc("Matrix products beside a collective: how much each slows the other")
    .ranks(2)
    .axis("backend", {.values = {"mpi", "nccl", "gloo"}, .defaults = {"mpi", "nccl"}})
    .axis("collective", {.values = {"allreduce", "allgather", "reduce_scatter", "alltoall"},
                         .defaults = {"allreduce"},
                         .doc = "What the ranks do while they compute"})
    .axis("memory", {.values = {"host", "device"}})
    .axis_integer("bytes", {.minimum = 1024,
                            .maximum = std::int64_t{1} << 36,
                            .defaults = "1M:64M:*4",
                            .quick = "1M"})
    .axis("dtype",
          {.values = {"fp64", "fp32", "fp16", "bf16"}, .defaults = {"fp32"}, .implied = "fp32"})
    .axis("shape", {.values = shapes(),
                    .defaults = {"square"},
                    .implied = "square",
                    .doc = "Product: square, or a layer or adapter of the model"})
    .axis("model", {.values = gemm_models(), .defaults = {"8b"}, .implied = "8b"})
    .axis_integer("rows", {.minimum = 1,
                           .maximum = 1 << 17,
                           .defaults = "512",
                           .doc = "Rows of the input matrix, the tokens of a layer",
                           .unit = "{row}"})
    .axis("precision", {.values = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp4"},
                        .defaults = {"fp32"},
                        .defaults_with_gpu = {"bf16"}})
    .axis_integer("products", {.minimum = 0,
                               .maximum = kMostProducts,
                               .defaults = "0",
                               .implied = 0,
                               .doc = "Products of a sample; 0: as long as the collective takes",
                               .unit = "{product}"})
    .axis_integer("probes", {.minimum = 0, .maximum = kMostProducts, .defaults = "0", .implied = 0})
    .compute_axes()
    .where(can_overlap)
    .adjust_to_job(transfer_of(collective::DeviceUse::nonblocking_collectives))
    .memory([](const Point& p) {
      const int ranks = static_cast<int>(p.integer("ranks"));
      const GemmSize size = gemm_size(p.text("shape"), p.text("model"), p.integer("rows"));
      return buffer_bytes(call_of_case(p, ranks), false, ranks) +
             matrix_bytes(size, p.text("precision"));
    });

}  // namespace
}  // namespace scalemark::micro
