// SPDX-License-Identifier: Apache-2.0
// Measures one-sided accesses: known data in the window and at the origin, verification and timing.
#include "suites/micro/one_sided/one_sided_case.hpp"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "common/core/rank_group.hpp"
#include "suites/micro/data/known_data.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

using collective::Access;
using collective::DType;
using collective::ReduceOp;
using Kind = Access::Kind;

class OneSidedCase {
 public:
  OneSidedCase(Case& c, const Access& access)
      : c_(c),
        access_(access),
        window_(c.memory().window(access.count * size_of(access.type))),
        origin_(c.alloc(access.count * size_of(access.type))) {
    access_.origin = origin_.data();
    if (!fetches()) return;
    result_ = c.alloc(access.count * size_of(access.type));
    access_.result = result_.data();
  }

  collective::OneSided& window() { return window_; }

  /// Collective. The operation of rank 0, with its counterpart on rank 1.
  std::unique_ptr<collective::Operation> prepare() {
    Access mine = access_;
    if (c_.rank() != kOrigin) mine.kind = Kind::none;
    c_.throw_if_peer_failed();
    const Case::Communicating inside(c_);
    return window_.prepare(mine);
  }

  /// Collective. Each rank fills its own memory.
  void fill(int round) {
    publish();  // no access is in flight
    const KnownData data = known(round);
    if (c_.rank() == kOrigin && access_.kind != Kind::get)
      micro::fill(c_, origin_.data(), 0, data, access_.type, access_.count, kOrigin);
    if (c_.rank() == kTarget && access_.kind != Kind::put)
      micro::fill(c_, window_.local().data(), 0, data, access_.type, access_.count, kTarget);
    publish();
  }

  /// Collective. Checks the result on the receiving rank.
  Case::Checked check(int round) {
    publish();
    Case::Checked result;
    const bool at_origin = access_.kind == Kind::get;
    if (c_.rank() == (at_origin ? kOrigin : kTarget)) {
      void* place = at_origin ? origin_.data() : window_.local().data();
      const int sender = at_origin ? kTarget : kOrigin;
      result = micro::check(c_, place, 0, known(round), access_.type,
                            {0, access_.count, access_.reduces() ? Block::kReduced : sender, 0});
    }
    if (fetches() && c_.rank() == kOrigin)
      result += micro::check(c_, result_.data(), 0, known(round), access_.type,
                             {0, access_.count, kTarget, 0});
    publish();
    return result;
  }

 private:
  bool fetches() const {
    return access_.kind == Kind::get_accumulate || access_.kind == Kind::fetch_and_op;
  }
  KnownData known(int round) const {
    const std::uint64_t seed = c_.seed() + static_cast<std::uint64_t>(round);
    if (access_.reduces()) return {seed, access_.type, access_.op, 2};
    return {seed, access_.type};
  }
  void publish() {
    c_.throw_if_peer_failed();
    const Case::Communicating inside(c_);
    window_.publish();
  }

  Case& c_;
  Access access_;
  collective::OneSided& window_;
  device::Buffer origin_, result_;
};

/// The access for the case's parameters, without data.
Access access_of(const Case& c, Kind kind) {
  Access access{.kind = kind, .sync = collective::sync_from(c.text("sync")), .peer = kTarget};
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

}  // namespace

namespace {

void shared_axes(Benchmark& benchmark) {
  benchmark.two_ranks()
      .axis("backend", {.values = {"mpi"}})
      .axis("span", {.values = rank_spans(), .defaults = {"any"}, .implied = "any"})
      .axis("sync", {.values = {"flush", "fence", "lock", "lock_all", "flush_local"},
                     .defaults = {"flush"}})
      .memory([](const Point& p) { return 3 * bytes_of(p); });
}

}  // namespace

void one_sided_axes(Benchmark& benchmark) {
  benchmark.with(shared_axes)
      .axis_integer("bytes", {.minimum = 0,
                              .maximum = std::int64_t{1} << 31,
                              .defaults = "8:4M:*2",
                              .quick = "8,64K"});
}

void atomic_axes(Benchmark& benchmark) {
  benchmark.with(shared_axes)
      .axis_integer("bytes",
                    {.minimum = 0, .maximum = std::int64_t{1} << 31, .defaults = "8", .quick = "8"})
      .adjust([](Point& p) {
        p["bytes"] = static_cast<std::int64_t>(size_of(collective::dtype_from(p.text("dtype"))));
      });
}

void one_sided_memory_axis(Benchmark& benchmark) {
  benchmark.axis("memory", {.values = {"host", "device"}, .defaults = {"host"}, .implied = "host"})
      .adjust_to_job(transfer_of(collective::DeviceUse::one_sided));
}

void measure_one_sided(Case& c, Kind kind) {
  const Access access = access_of(c, kind);
  const std::size_t bytes = access.count * size_of(access.type);
  if (access.count == 0 && c.integer("bytes") > 0)
    c.skip(fmt::format("{} B hold no element of {}", c.integer("bytes"), to_string(access.type)));
  c.communicator();  // its barrier starts each sample
  c.memory().state_device_path(collective::DeviceUse::one_sided);
  OneSidedCase data(c, access);
  if (const std::string why = data.window().why_not(access); !why.empty()) c.skip(why);
  data.fill(0);
  const auto operation = data.prepare();
  // An accumulate changes its expected result with every timed call, so the result of the last
  // timed call is not checked.
  c.verify(rule_of(access), {.fill = [&](int round) { data.fill(round); },
                             .check = [&](int round) { return data.check(round); },
                             .count = verify_rounds(bytes),
                             .inputs_stay = !access.reduces()});
  c.work({.bytes = static_cast<double>(bytes),
          .formula = "bytes / latency",
          .carrier = Carrier::between_ranks});
  c.fact("total_bytes", static_cast<std::int64_t>(bytes));
  if (static_cast<std::int64_t>(bytes) != c.integer("bytes"))
    c.fact("requested_bytes", c.integer("bytes"));
  c.measure([&] { operation->run(); },
            {.metric = "latency", .rank_reduce = RankReduce::root, .inner = 0, .warmup = 10});
}

}  // namespace scalemark::micro
