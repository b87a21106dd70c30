// SPDX-License-Identifier: Apache-2.0
// Measures a collective routine: point filter, verification, timing. Shared by all routines.
#include "suites/micro/collective/collective_case.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/sha256.hpp"
#include "common/core/cuda_aware/transfer.hpp"
#include "common/core/rank_group.hpp"
#include "suites/micro/collective/collective_overlap.hpp"
#include "suites/micro/collective/collective_point.hpp"
#include "suites/micro/collective/grid.hpp"
#include "suites/micro/collective/rank_graph.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

using collective::Call;
using collective::Routine;

/// Operations per pipelined sample, as in nccl-tests.
constexpr std::uint64_t kPipelined = 20;

/// Routines that only MPI has.
bool is_of_mpi_alone(Routine routine) {
  return is_neighborhood(routine) || routine == Routine::alltoallw ||
         routine == Routine::reduce_scatter_block;
}

/// What kernels over NCCL's device API can carry out.
bool has_kernel(const Point& point, Routine routine) {
  if (point.text("registration") != "symmetric" || point.text("call") != "blocking") return false;
  if (point.integer("aggregate") > 1) return false;
  return collective::why_no_kernel(call_of(point, routine, 1)).empty();
}

/// Only NCCL has graphs, groups of blocking calls, registered memory and a device API; only MPI has
/// persistent operations and an in-place all-to-all.
bool makes_sense(const Point& point, Routine routine) {
  if (routine == Routine::barrier) return point.text("backend") != "nccl";
  if (!backend_suits_memory(point)) return false;
  const std::string &backend = point.text("backend"), &call = point.text("call");
  if (is_of_mpi_alone(routine) && backend != "mpi") return false;
  if (call != "nonblocking" && point.integer("probes") > 0) return false;
  if (point.text("registration") != "none" && backend != "nccl") return false;
  if (point.text("device_api", "none") != "none" && !has_kernel(point, routine)) return false;
  if (point.flag("graphs") && (backend != "nccl" || call != "blocking")) return false;
  // Several blocking calls of MPI would run one after the other.
  if (point.integer("aggregate") > 1 && backend != "nccl" && call == "blocking") return false;
  if (point.text("neighbors", "grid") == "graph" &&
      (point.integer("dimensions") > 1 || point.integer("radius") > 1))
    return false;
  if (point.integer("groups") == 1 && point.text("grouping") != "blocks") return false;
  if (call == "persistent" && backend != "mpi") return false;
  if (point.flag("in_place", false) && exchanges(routine) && backend != "mpi") return false;
  return point.text("timing") == "single" || call == "blocking";
}

/// How the library will use device memory, which depends on the kind of call.
collective::DeviceUse use_of(const Point& point) {
  return point.text("call") == "blocking" ? collective::DeviceUse::collectives
                                          : collective::DeviceUse::nonblocking_collectives;
}

std::string rule_of(const Call& call) {
  if (!reduces(call.routine)) return "every byte against its sender's pattern";
  if (call.op == collective::ReduceOp::avg && !is_integer(call.type))
    return "every element against the exact average, within 2 units in the last place";
  return fmt::format("every element against the exact {}", to_string(call.op));
}

/// Skips message sizes that hold no element, or not one element per rank.
void require_elements(Case& c, const Call& call) {
  const std::int64_t bytes = c.integer("bytes");
  if (bytes == 0 || call.count > 0) return;
  c.skip(fmt::format("{} B hold no element of {}{}", bytes, to_string(call.type),
                     scatters_sums(call.routine) ? " for every rank" : ""));
}

void state_work(Case& c, Routine routine, const CollectiveWork& work, double total, int ranks) {
  // What a link carries of a neighborhood routine goes by where the neighbors are.
  if (work.bus_factor == nullptr) return c.work({.bytes = total, .formula = work.formula});
  const double bus_factor = work.bus_factor(ranks);
  // What it carries of several groups goes by where their ranks are.
  if (ranks < c.size())
    return c.work({.bytes = total, .bus_factor = bus_factor, .formula = work.formula});
  c.work({.bytes = total,
          .bus_factor = bus_factor,
          .formula = work.formula,
          .carrier = Carrier::between_ranks,
          .link_bytes = [=, factor = work.bus_factor, exchange = exchanges(routine)](Ends ends) {
            return collective_bytes(total, factor, exchange, ends);
          }});
}

void state_facts(Case& c, const collective::Communicator& comm, const Call& call) {
  const auto total = static_cast<std::int64_t>(total_bytes(call, comm.size()));
  c.fact("total_bytes", total);
  if (comm.size() < c.size()) c.fact("group_size", static_cast<std::int64_t>(comm.size()));
  const std::size_t parts = scatters_sums(call.routine) ? static_cast<std::size_t>(comm.size()) : 1;
  const auto used = static_cast<std::int64_t>(call.count * parts * size_of(call.type));
  if (used != c.integer("bytes")) c.fact("requested_bytes", c.integer("bytes"));
  if (reduces(call.routine) && comm.is_emulated(call.type, call.op)) c.fact("emulated", true);
}

/// The graph of `--data neighbors=FILE`, which rank 0 reads. Skips what is no graph of `ranks`
/// ranks. Fact `graph`: the start of the SHA-256 of its text.
RankGraph read_graph(Case& c, int ranks) {
  const std::string path = c.inputs().data("neighbors");
  if (path.empty()) c.skip("neighbors=graph needs --data neighbors=FILE with lines SOURCE,TARGET");
  std::string text, problem;
  if (c.rank() == 0) {
    try {
      text = read_edges(path);
    } catch (const Error& error) {
      problem = error.what();
    }
  }
  problem = c.ranks().broadcast(problem);
  if (!problem.empty()) c.skip(problem);
  text = c.ranks().broadcast(text);
  c.fact("graph", sha256(text).substr(0, 16));
  try {
    return RankGraph(text, ranks);
  } catch (const Error& error) {
    c.skip(fmt::format("{}: {}", path, error.what()));
  }
}

/// The neighbors by the file, and facts of the graph.
void take_graph(Case& c, Call& call, const GroupPlace& place) {
  const RankGraph graph = read_graph(c, place.size);
  call.neighbors = graph.of(place.rank);
  c.fact("edges", static_cast<std::int64_t>(graph.edges()));
}

/// Skips grids that are too small, and states the others.
void require_grid(Case& c, const Call& call, int ranks) {
  const std::string grid =
      fmt::format("{}", fmt::join(grid_of(ranks, static_cast<int>(c.integer("dimensions"))), "x"));
  if (call.neighbors.targets.empty())
    c.skip(fmt::format("a grid of {} ranks is too small for neighbors up to {} away", grid,
                       c.integer("radius")));
  c.fact("grid", grid);
}

void settle_neighbors(Case& c, Call& call, const GroupPlace& place) {
  if (!is_neighborhood(call.routine)) return;
  if (c.text("neighbors") == "graph") {
    take_graph(c, call, place);
  } else {
    require_grid(c, call, place.size);
  }
  c.fact("neighbors", static_cast<std::int64_t>(call.neighbors.most_targets));
}

/// This rank's place in its group (axes groups and grouping). Skips ranks that do not divide into
/// the groups.
GroupPlace place_of(Case& c) {
  const auto groups = static_cast<int>(c.integer("groups"));
  if (c.size() % groups != 0)
    c.skip(fmt::format("{} ranks cannot be divided into {} groups", c.size(), groups));
  return place_in_group(c.rank(), c.size(), groups, c.text("grouping"));
}

Placement placement_of(const Case& c, bool in_place) {
  Placement placement = {.in_place = in_place,
                         .unalign = static_cast<std::size_t>(c.integer("unalign"))};
  const std::string& registration = c.text("registration");
  if (registration == "local") placement.registration = collective::Registration::local;
  if (registration == "symmetric") placement.registration = collective::Registration::symmetric;
  return placement;
}

/// Operations that are used in turn (axis buffers), each on buffers of its own. An operation
/// consists of one call, or of several that are started together (axis aggregate).
class OperationRing {
 public:
  /// Collective.
  OperationRing(Case& c, collective::Communicator& comm, const Call& call,
                const Placement& placement)
      : together_(static_cast<std::size_t>(c.integer("aggregate"))) {
    const std::size_t operations = static_cast<std::size_t>(c.integer("buffers"));
    for (std::size_t i = 0; i < operations * together_; ++i)
      data_.push_back(std::make_unique<CollectiveData>(c, comm, call, placement));
    c.throw_if_peer_failed();
    for (std::size_t i = 0; i < operations; ++i) operations_.push_back(prepare(comm, i));
  }
  /// The calls of an operation get different data.
  void fill(int round) {
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i]->fill(round_of_call(round, i));
  }
  /// Checks the calls of the last operation.
  Case::Checked check(int round) {
    Case::Checked all;
    for (std::size_t i = last_ * together_; i < (last_ + 1) * together_; ++i)
      all += data_[i]->check(round_of_call(round, i));
    return all;
  }
  const Call& call() const { return data_.front()->call(); }
  collective::Operation& first() { return *operations_.front(); }
  collective::Operation& next() {
    last_ = next_;
    next_ = next_ + 1 == operations_.size() ? 0 : next_ + 1;
    return *operations_[last_];
  }
  void wait() {
    for (const auto& operation : operations_) operation->wait();
  }

 private:
  std::unique_ptr<collective::Operation> prepare(collective::Communicator& comm, std::size_t i) {
    if (together_ == 1) return comm.prepare(data_[i]->call());
    std::vector<Call> calls;
    for (std::size_t j = 0; j < together_; ++j) calls.push_back(data_[i * together_ + j]->call());
    return comm.prepare_together(calls);
  }
  int round_of_call(int round, std::size_t i) const {
    return round * static_cast<int>(together_) + static_cast<int>(i % together_);
  }

  std::size_t together_, next_ = 0, last_ = 0;
  std::vector<std::unique_ptr<CollectiveData>> data_;
  std::vector<std::unique_ptr<collective::Operation>> operations_;
};

/// Behind the measurement: the ranks are connected then.
void record_prediction(Case& c, collective::Communicator& comm, const Call& call) {
  const std::optional<double> seconds = comm.predicted_seconds(call);
  if (!c.all_ranks(seconds.has_value())) return;
  c.record("library_prediction", "s", Better::none, MetricKind::duration, RankReduce::max,
           std::vector{*seconds}, "time that the library predicts for one operation");
}

void measure_barrier(Case& c) {
  const GroupPlace place = place_of(c);
  collective::Communicator& comm = c.group_communicator();
  const Call call = call_of(c.result().params, Routine::barrier, place.size);
  require_support(c, comm, call, use_of(c.result().params));
  const auto barrier = comm.prepare(call);
  if (call.mode == collective::Mode::nonblocking) return measure_overlap(c, *barrier);
  c.measure([&] { barrier->run(); },
            {.metric = "latency", .warmup = 10, .before = computing_before(c)});
}

}  // namespace

double blocks_of_others(int n) { return static_cast<double>(n - 1) / n; }

double whole_buffer(int n) { return n > 1 ? 1.0 : 0.0; }

void measure_collective(Case& c, Routine routine, const CollectiveWork& work) {
  if (routine == Routine::barrier) return measure_barrier(c);
  const GroupPlace place = place_of(c);
  Call call = call_of(c.result().params, routine, place.size, place.rank);
  settle_neighbors(c, call, place);
  if (call.root >= place.size) c.skip(fmt::format("root {} of {} ranks", call.root, place.size));
  require_elements(c, call);
  collective::Communicator& comm = c.group_communicator();
  require_support(c, comm, call, use_of(c.result().params));
  const bool in_place = !is_neighborhood(routine) && c.flag("in_place");
  const std::uint64_t total = total_bytes(call, place.size);
  OperationRing data(c, comm, call, placement_of(c, in_place));
  const double of_one = 1 / static_cast<double>(c.integer("aggregate"));
  const int rounds = verify_rounds(total), first = place.group * rounds;  // each group its own data
  c.verify(rule_of(call), {.fill = [&](int round) { data.fill(first + round); },
                           .check = [&](int round) { return data.check(first + round); },
                           .count = rounds,
                           .inputs_stay = !in_place});
  state_work(c, routine, work, static_cast<double>(total), place.size);
  state_facts(c, comm, call);
  if (call.mode == collective::Mode::nonblocking) return measure_overlap(c, data.first(), of_one);
  const std::function<void()> before = computing_before(c);
  if (c.text("timing") == "pipelined") {
    c.measure([&] { data.next().start(); }, [&] { data.wait(); },
              {.metric = "latency",
               .inner = kPipelined,
               .scale = of_one,
               .warmup = 10,
               .before = before});
  } else {
    c.measure([&] { data.next().run(); },
              {.metric = "latency", .scale = of_one, .warmup = 10, .before = before});
  }
  record_prediction(c, comm, data.call());
}

std::function<void(Benchmark&)> collective_axes(Routine routine) {
  return [routine](Benchmark& b) {
    const std::vector<std::string> usual = is_of_mpi_alone(routine)
                                               ? std::vector<std::string>{"mpi"}
                                               : std::vector<std::string>{"mpi", "nccl"};
    b.axis("backend", {.values = {"mpi", "nccl", "gloo", "c10d"}, .defaults = usual});
    b.axis("span", {.values = rank_spans(), .defaults = {"any"}, .implied = "any"});
    b.axis_integer("groups", {.minimum = 1, .maximum = 1 << 20, .defaults = "1", .implied = 1});
    b.axis("grouping", {.values = rank_groupings(), .defaults = {"blocks"}, .implied = "blocks"});
    b.axis("call", {.values = {"blocking", "nonblocking", "persistent"},
                    .defaults = {"blocking"},
                    .implied = "blocking"});
    b.axis_integer("probes", {.minimum = 0, .maximum = 1'000'000, .defaults = "0", .implied = 0});
    b.axis_integer("compute", {.minimum = 0, .maximum = 10'000'000, .defaults = "0", .implied = 0});
    b.where([routine](const Point& p) { return makes_sense(p, routine); });
    if (routine == Routine::barrier) return;
    const bool adds = reduces(routine);
    b.axis("memory", {.values = {"host", "device"}});
    b.axis_integer("bytes", {.minimum = 0,
                             .maximum = std::int64_t{1} << 36,
                             .defaults = adds ? "8:4M:*2" : "8:1M:*2",
                             .quick = adds ? "8,1M" : "8,64K"});
    b.axis("dtype", {.values = {"fp64", "fp32", "fp16", "bf16", "int64", "uint64", "int32",
                                "uint32", "int8", "uint8", "fp8_e4m3", "fp8_e5m2"},
                     .defaults = {adds ? "fp32" : "int8"},
                     .implied = adds ? "fp32" : "int8"});
    if (adds)
      b.axis(
          "op",
          {.values = {"sum", "prod", "min", "max", "avg"}, .defaults = {"sum"}, .implied = "sum"});
    if (has_root(routine))
      b.axis_integer("root", {.minimum = 0, .maximum = 1 << 20, .defaults = "0", .implied = 0});
    if (is_neighborhood(routine)) {
      b.axis("neighbors", {.values = {"grid", "graph"}, .defaults = {"grid"}, .implied = "grid"});
      b.axis_integer("dimensions", {.minimum = 1, .maximum = 6, .defaults = "1", .implied = 1});
      b.axis_integer("radius", {.minimum = 1, .maximum = 16, .defaults = "1", .implied = 1});
    } else {
      b.axis_boolean("in_place", {.defaults = {false}, .implied = false});
    }
    b.axis("timing",
           {.values = {"single", "pipelined"}, .defaults = {"single"}, .implied = "single"});
    b.axis_boolean("graphs", {.defaults = {false}, .implied = false});
    b.axis_integer("buffers", {.minimum = 1, .maximum = 4096, .defaults = "1", .implied = 1});
    b.axis_integer("aggregate", {.minimum = 1, .maximum = 1024, .defaults = "1", .implied = 1});
    b.axis("registration",
           {.values = {"none", "local", "symmetric"}, .defaults = {"none"}, .implied = "none"});
    if (routine == Routine::allreduce) {
      b.axis("device_api",
             {.values = {"none", "lsa", "multimem"}, .defaults = {"none"}, .implied = "none"});
    } else if (routine == Routine::alltoall) {
      b.axis("device_api", {.values = {"none", "lsa"}, .defaults = {"none"}, .implied = "none"});
    }
    b.axis_integer("unalign", {.minimum = 0, .maximum = 4096, .defaults = "0", .implied = 0});
    b.adjust_to_job([](Point& p, const PlanContext& job) { choose_transfer(p, job, use_of(p)); });
    b.memory([routine](const Point& p) {
      const auto ranks = std::max(1, static_cast<int>(p.integer("ranks") / p.integer("groups", 1)));
      const Call call = call_of(p, routine, ranks);
      return static_cast<std::uint64_t>(p.integer("buffers") * p.integer("aggregate")) *
             buffer_bytes(call, p.flag("in_place", false), ranks);
    });
  };
}

}  // namespace scalemark::micro
