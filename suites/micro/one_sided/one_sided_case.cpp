// SPDX-License-Identifier: Apache-2.0
// Measures one-sided accesses: known data in the window and at the origin, verification and timing.
#include "suites/micro/one_sided/one_sided_case.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/core/rank_group.hpp"
#include "suites/micro/data/known_data.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/message_work.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/one_sided/busy_target.hpp"
#include "suites/micro/point_to_point/message_windows.hpp"

namespace scalemark::micro {
namespace {

using collective::Access;
using collective::DType;
using collective::ReduceOp;
using Kind = Access::Kind;

/// Who accesses whom, and how much.
struct Traffic {
  Access access;  ///< without data
  bool both_ways = false;

  std::size_t elements() const { return access.count * access.messages; }
  std::size_t bytes() const { return elements() * size_of(access.type); }
  bool accesses(int rank) const { return both_ways || rank == kOrigin; }
  bool is_accessed(int rank) const { return both_ways || rank == kTarget; }
};

class OneSidedCase {
 public:
  OneSidedCase(Case& c, Traffic traffic)
      : c_(c),
        traffic_(std::move(traffic)),
        access_(traffic_.access),
        peer_(c.rank() == kOrigin ? kTarget : kOrigin),
        window_(window_of(c, traffic_.bytes())),
        origin_(c.alloc(traffic_.bytes())) {
    access_.peer = peer_;
    access_.origin = origin_.data();
    if (traffic_.is_accessed(c.rank())) access_.accessors = {peer_};
    if (!traffic_.accesses(c.rank())) access_.kind = Kind::none;
    if (!access_.fetches()) return;
    result_ = c.alloc(traffic_.bytes());
    access_.result = result_.data();
  }

  collective::OneSided& window() { return window_; }

  /// Collective. This rank's operation, whose counterpart is that of its peer.
  std::unique_ptr<collective::Operation> prepare() {
    c_.throw_if_peer_failed();
    const Case::Communicating inside(c_);
    return window_.prepare(access_);
  }

  /// Collective. Each rank fills its own memory.
  void fill(int round) {
    publish(c_, window_);  // no access is in flight
    const KnownData data = known(round);
    const Kind kind = traffic_.access.kind;
    if (traffic_.accesses(c_.rank()) && kind != Kind::get) fill_with_mine(data, origin_.data());
    if (traffic_.is_accessed(c_.rank()) && kind != Kind::put)
      fill_with_mine(data, window_.local().data());
    publish(c_, window_);
  }

  /// Collective. Checks the result on the receiving rank.
  Case::Checked check(int round) {
    publish(c_, window_);
    Case::Checked result;
    const Access& access = traffic_.access;
    const bool is_get = access.kind == Kind::get;
    if (is_get ? traffic_.accesses(c_.rank()) : traffic_.is_accessed(c_.rank()))
      result = check_of(round, is_get ? origin_.data() : window_.local().data(),
                        access.reduces() ? Block::kReduced : peer_);
    if (access_.fetches()) result += check_of(round, result_.data(), peer_);
    publish(c_, window_);
    return result;
  }

 private:
  KnownData known(int round) const {
    const std::uint64_t seed = c_.seed() + static_cast<std::uint64_t>(round);
    if (traffic_.access.reduces()) return {seed, access_.type, access_.op, 2};
    return {seed, access_.type};
  }
  void fill_with_mine(const KnownData& data, void* memory) {
    micro::fill(c_, memory, 0, data, access_.type, traffic_.elements(), c_.rank());
  }
  Case::Checked check_of(int round, void* memory, int sender) {
    return micro::check(c_, memory, 0, known(round), access_.type,
                        {0, traffic_.elements(), sender, 0});
  }

  Case& c_;
  Traffic traffic_;
  Access access_;  ///< this rank's part
  int peer_;
  collective::OneSided& window_;
  device::Buffer origin_, result_;
};

/// The access for the case's parameters, without data.
Access access_of(const Case& c, Kind kind) {
  Access access{.kind = kind, .sync = collective::sync_from(c.text("sync"))};
  if (access.reduces()) {
    access.type = collective::dtype_from(c.text("dtype"));
    access.op = collective::reduce_op_from(c.text("op"));
  }
  access.count = static_cast<std::size_t>(c.integer("bytes")) / size_of(access.type);
  return access;
}

std::string rule_of(const Access& access) {
  if (access.kind == Kind::put) return "every byte of the target against the origin's pattern";
  if (access.kind == Kind::get) return "every byte at the origin against the target's pattern";
  return fmt::format("every element of the target, after one access, against the exact {}{}",
                     to_string(access.op),
                     access.kind == Kind::accumulate ? "" : "; what was fetched, against its data");
}

/// Collective. The traffic as a function, which has been verified.
std::function<void()> verified_access(Case& c, const Traffic& traffic) {
  c.communicator();  // its barrier starts each sample
  c.memory().state_device_path(collective::DeviceUse::one_sided);
  const auto data = std::make_shared<OneSidedCase>(c, traffic);
  if (const std::string why = data->window().why_not(traffic.access); !why.empty()) c.skip(why);
  data->fill(0);
  // An accumulate changes its expected result with every timed call, so the result of the last
  // timed call is not checked.
  c.verify(rule_of(traffic.access), {.fill = [=](int round) { data->fill(round); },
                                     .check = [=](int round) { return data->check(round); },
                                     .count = verify_rounds(traffic.bytes()),
                                     .inputs_stay = !traffic.access.reduces()});
  return [data, operation = std::shared_ptr(data->prepare())] { operation->run(); };
}

void shared_axes(Benchmark& benchmark, const std::string& usual_sync) {
  benchmark.two_ranks();
  completion_axes(benchmark, usual_sync);
}

constexpr std::int64_t kMostBytes = std::int64_t{1} << 31;

void bandwidth_axes(Benchmark& benchmark, const std::string& usual_sync) {
  shared_axes(benchmark, usual_sync);
  benchmark
      .axis_integer("bytes",
                    {.minimum = 0, .maximum = kMostBytes, .defaults = "1:4M:*2", .quick = "8,64K"})
      .axis_integer("window", {.minimum = 1,
                               .maximum = 4096,
                               .defaults = "64",
                               .doc = "Accesses that are completed together",
                               .unit = "{message}"})
      .memory([](const Point& p) {
        return 2 * bytes_of(p) * static_cast<std::uint64_t>(p.integer("window"));
      });
}

/// Whether the target takes part by calls of its own.
bool is_active(const std::string& sync) { return sync == "fence" || sync == "pscw"; }

}  // namespace

void completion_axes(Benchmark& benchmark, const std::string& usual_sync) {
  benchmark.axis("backend", {.values = {"mpi"}})
      .axis("span", {.values = rank_spans(), .defaults = {"any"}, .implied = "any"})
      .axis("sync", {.values = {"flush", "fence", "lock", "lock_all", "flush_local", "pscw"},
                     .defaults = {usual_sync}})
      .axis("window_creation", {.values = {"allocate", "create", "dynamic"},
                                .defaults = {"allocate"},
                                .implied = "allocate"});
}

void one_sided_axes(Benchmark& benchmark) {
  shared_axes(benchmark, "flush");
  benchmark
      .axis_integer("bytes",
                    {.minimum = 0, .maximum = kMostBytes, .defaults = "8:4M:*2", .quick = "8,64K"})
      .memory([](const Point& p) { return 2 * bytes_of(p); });
}

void target_axis(Benchmark& benchmark) {
  benchmark
      .axis("target", {.values = {"waits", "computes"},
                       .defaults = {"waits"},
                       .implied = "waits",
                       .doc = "What rank 1 does: waits in MPI, or computes without calls of MPI"})
      .where(
          [](const Point& p) { return p.text("target") == "waits" || !is_active(p.text("sync")); });
}

void accumulate_axes(Benchmark& benchmark) {
  benchmark.with(one_sided_axes)
      .axis("dtype", {.values = {"int8", "int32", "int64", "fp16", "bf16", "fp32", "fp64"},
                      .defaults = {"fp32"}})
      .axis("op", {.values = {"sum", "prod", "min", "max"}, .defaults = {"sum"}, .implied = "sum"});
}

void atomic_axes(Benchmark& benchmark) {
  shared_axes(benchmark, "flush");
  benchmark
      .axis_integer("bytes", {.minimum = 0, .maximum = kMostBytes, .defaults = "8", .quick = "8"})
      .adjust([](Point& p) {
        p["bytes"] = static_cast<std::int64_t>(size_of(collective::dtype_from(p.text("dtype"))));
      })
      .memory([](const Point& p) { return 3 * bytes_of(p); });
}

void one_sided_bandwidth_axes(Benchmark& benchmark) { bandwidth_axes(benchmark, "flush"); }

void one_sided_bidirectional_axes(Benchmark& benchmark) {
  bandwidth_axes(benchmark, "pscw");
  benchmark.where([](const Point& p) {  // completed for both ranks
    return p.text("sync") == "pscw" || p.text("sync") == "fence";
  });
}

void one_sided_memory_axis(Benchmark& benchmark) {
  benchmark.axis("memory", {.values = {"host", "device"}, .defaults = {"host"}, .implied = "host"})
      .where([](const Point& p) {  // MPI allocates no device memory
        return p.text("memory") == "host" || p.text("window_creation") == "allocate";
      })
      .adjust_to_job(transfer_of(collective::DeviceUse::one_sided));
}

collective::OneSided& window_of(Case& c, std::size_t bytes) {
  return c.memory().window(bytes, collective::window_creation_from(c.text("window_creation")));
}

void publish(Case& c, collective::OneSided& window) {
  c.throw_if_peer_failed();
  const Case::Communicating inside(c);
  window.publish();
}

void measure_one_sided(Case& c, Kind kind) {
  const Traffic traffic{.access = access_of(c, kind)};
  if (traffic.elements() == 0 && c.integer("bytes") > 0)
    c.skip(fmt::format("{} B hold no element of {}", c.integer("bytes"),
                       to_string(traffic.access.type)));
  const auto work = verified_access(c, traffic);
  const auto bytes = static_cast<std::int64_t>(traffic.bytes());
  c.work({.bytes = static_cast<double>(bytes),
          .formula = "bytes / latency",
          .carrier = Carrier::between_ranks});
  c.fact("total_bytes", bytes);
  if (bytes != c.integer("bytes")) c.fact("requested_bytes", c.integer("bytes"));
  const auto target = c.result().params.text("target", "waits");
  if (target == "computes") return measure_busy_target(c, work);
  c.measure(work, {.metric = "latency", .rank_reduce = RankReduce::root, .inner = 0, .warmup = 10});
}

void measure_one_sided_bandwidth(Case& c, Kind kind, bool both_ways) {
  Traffic traffic{.access = access_of(c, kind), .both_ways = both_ways};
  traffic.access.messages = static_cast<std::size_t>(c.integer("window"));
  const auto work = verified_access(c, traffic);
  state_window_work(c, "adjacent", both_ways ? 2 : 1);
  c.measure(work, {.metric = "time",
                   .rank_reduce = RankReduce::root,
                   .inner = 0,
                   .inner_time = 200e-6,
                   .warmup = 10});
  set_primary_rate(c);
}

}  // namespace scalemark::micro
