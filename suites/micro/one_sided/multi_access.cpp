// SPDX-License-Identifier: Apache-2.0
// Benchmarks micro/multi_put and micro/multi_get: ranks write to, or read from, the memory of
// several others (IMB-RMA's tests of more than two ranks).
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/data/known_data.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/message_work.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/one_sided/access_pattern.hpp"
#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Access;
using collective::DType;

/// The accesses of this rank, with their data: a piece for each target at the origin, and for each
/// slot in the window.
class MultiAccess {
 public:
  /// Collective.
  MultiAccess(Case& c, Access::Kind kind)
      : c_(c),
        puts_(kind == Access::Kind::put),
        bytes_(bytes_of(c.result().params)),
        piece_(bytes_ * static_cast<std::size_t>(c.integer("window"))),
        slots_(slots_of(c.text("pattern"), c.size())),
        ranks_(accesses_of(c.text("pattern"), c.rank(), c.size())),
        window_(window_of(c, slots_ * piece_)),
        origin_(c.alloc(ranks_.targets.size() * piece_)),
        operation_(prepare(kind)) {}

  void run() { operation_->run(); }

  /// Collective. Each rank fills its own memory.
  void fill(int round) {
    publish(c_, window_);  // no access is in flight
    for (const Piece& piece : puts_ ? at_origin() : in_window())
      micro::fill(c_, piece.memory, piece.offset, bytes_of_round(c_, round), DType::int8, piece_,
                  c_.rank(), piece.position);
    publish(c_, window_);
  }

  /// Collective. Checks what others wrote into the window, or what was read from theirs.
  Case::Checked check(int round) {
    publish(c_, window_);
    Case::Checked found;
    for (const Piece& piece : puts_ ? in_window() : at_origin())
      found += micro::check(c_, piece.memory, 0, bytes_of_round(c_, round), DType::int8,
                            {piece.offset, piece_, piece.sender, piece.position});
    publish(c_, window_);
    return found;
  }

 private:
  struct Piece {
    void* memory;
    std::size_t offset;
    int sender;
    std::size_t position;  ///< in the sender's data
  };
  std::vector<Piece> at_origin() {
    std::vector<Piece> all;
    for (const Place target : ranks_.targets)
      all.push_back({origin_.data(), all.size() * piece_, puts_ ? c_.rank() : target.rank,
                     position_of(target)});
    return all;
  }
  std::vector<Piece> in_window() {
    std::vector<Piece> all;
    for (const int accessor : ranks_.accessors)
      all.push_back({window_.local().data(), all.size() * piece_, puts_ ? accessor : c_.rank(),
                     position_of({c_.rank(), all.size()})});
    return all;
  }
  /// Each place has data of its own.
  std::size_t position_of(Place place) const {
    return (static_cast<std::size_t>(place.rank) * slots_ + place.slot) * piece_;
  }

  std::unique_ptr<collective::Operation> prepare(Access::Kind kind) {
    c_.throw_if_peer_failed();
    const Case::Communicating inside(c_);
    const Access one{.kind = kind,
                     .sync = collective::sync_from(c_.text("sync")),
                     .count = bytes_,
                     .messages = static_cast<std::size_t>(c_.integer("window"))};
    std::vector<Access> all;
    for (const Place target : ranks_.targets) {
      all.push_back(one);
      all.back().peer = target.rank;
      all.back().origin = origin_.as<char>() + (all.size() - 1) * piece_;
      all.back().displacement = target.slot * piece_;
    }
    if (all.empty()) all.push_back({.kind = Access::Kind::none, .sync = one.sync});
    all.front().accessors = ranks_.accessors;
    return window_.prepare_together(all);
  }

  Case& c_;
  bool puts_;
  std::size_t bytes_, piece_, slots_;
  RankAccesses ranks_;
  collective::OneSided& window_;
  device::Buffer origin_;
  std::unique_ptr<collective::Operation> operation_;
};

/// Messages of all ranks together, from who sends to who receives.
std::vector<Flow> flows_of(const Case& c, Access::Kind kind, double bytes) {
  std::vector<Flow> flows;
  for (int rank = 0; rank < c.size(); ++rank)
    for (const Place target : accesses_of(c.text("pattern"), rank, c.size()).targets)
      flows.push_back(kind == Access::Kind::put ? Flow{rank, target.rank, bytes}
                                                : Flow{target.rank, rank, bytes});
  return flows;
}

void state_work(Case& c, Access::Kind kind) {
  const auto window = static_cast<double>(c.integer("window"));
  const double bytes = window * static_cast<double>(c.integer("bytes"));
  std::vector<Flow> flows = flows_of(c, kind, bytes);
  const double messages = window * static_cast<double>(flows.size());
  c.work(work_of(std::move(flows), messages, "targets of all ranks * window * bytes / time"));
}

void measure_multi_access(Case& c, Access::Kind kind) {
  c.communicator();  // its barrier starts each sample
  c.memory().state_device_path(collective::DeviceUse::one_sided);
  MultiAccess accesses(c, kind);
  c.verify(kind == Access::Kind::put ? "every byte of each target against its origin's pattern"
                                     : "every byte at each origin against its target's pattern",
           {.fill = [&](int round) { accesses.fill(round); },
            .check = [&](int round) { return accesses.check(round); },
            .count = verify_rounds(bytes_of(c.result().params))});
  state_work(c, kind);
  const bool by_one = c.text("pattern") == "one_to_all";
  c.measure([&] { accesses.run(); }, {.metric = "time",
                                      .rank_reduce = by_one ? RankReduce::root : RankReduce::max,
                                      .inner = 0,
                                      .inner_time = 200e-6,
                                      .warmup = 10});
  set_primary_rate(c);
}

void multi_access_axes(Benchmark& benchmark) {
  benchmark.ranks(2).axis(
      "pattern",
      {.values = access_patterns(),
       .defaults = {"one_to_all", "all_to_all", "neighbors"},
       .doc = "Rank 0 accesses all others, all others rank 0, each all others, or each its "
              "two neighbors in a ring"});
  completion_axes(benchmark, "flush");
  benchmark.with(one_sided_memory_axis)
      .axis_integer(
          "bytes",
          {.minimum = 0, .maximum = std::int64_t{1} << 30, .defaults = "8:1M:*4", .quick = "8,64K"})
      .axis_integer("window", {.minimum = 1,
                               .maximum = 4096,
                               .defaults = "1",
                               .implied = 1,
                               .doc = "Accesses to each target that are completed together",
                               .unit = "{message}"})
      .memory([](const Point& p) {
        return bytes_of(p) * static_cast<std::uint64_t>(p.integer("window")) *
               pieces_of(p.text("pattern"), static_cast<int>(p.integer("ranks")));
      });
}

void multi_put(Case& c) { measure_multi_access(c, Access::Kind::put); }
void multi_get(Case& c) { measure_multi_access(c, Access::Kind::get); }

SCALEMARK_BENCHMARK("micro/multi_put", multi_put)
    .doc("One-sided writes of ranks to several others, completed together")
    .with(multi_access_axes);
SCALEMARK_BENCHMARK("micro/multi_get", multi_get)
    .doc("One-sided reads of ranks from several others, completed together")
    .with(multi_access_axes);

}  // namespace
}  // namespace scalemark::micro
