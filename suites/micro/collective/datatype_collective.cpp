// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/datatype_collective: collectives whose parts are separate blocks, by an MPI
// datatype or packed by the ranks.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/collective/collective_point.hpp"
#include "suites/micro/data/block_layout.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

using collective::Call;
using collective::Routine;

/// Routines that move data: MPI's reductions take no datatypes of blocks.
const std::vector<std::string> kCollectives = {"broadcast", "gather",   "scatter",
                                               "allgather", "alltoall", "alltoallw"};

Call packed_call(const Point& p, int ranks) {
  return call_of(p, collective::routine_from(p.text("collective")), ranks);
}

/// The same call where each part is one element, a message of blocks.
Call spaced_call(Call call) {
  call.count = 1;
  std::fill(call.to.begin(), call.to.end(), 1);
  std::fill(call.from.begin(), call.from.end(), 1);
  return call;
}

/// A collective and its data, which it takes from and leaves in separate blocks.
class BlockCollective {
 public:
  /// Collective.
  BlockCollective(Case& c, collective::Communicator& comm)
      : layout_(c.result().params, c.seed()),
        type_(layout_.type()),
        packed_(c, comm, packed_call(c.result().params, c.size())),
        is_packed_(c.text("packing") == "manual") {
    Call call = spaced_call(packed_.call());
    sent_ = in_elements(call, c.rank(), c.size());
    received_ = out_elements(call, c.rank(), c.size());
    in_ = c.alloc(is_broadcast() ? 0 : sent_ * layout_.extent());
    out_ = c.alloc((is_broadcast() ? 1 : received_) * layout_.extent());
    call.in = in();
    call.out = out_.data();
    call.blocks = &type_;
    c.throw_if_peer_failed();
    operation_ = comm.prepare(is_packed_ ? packed_.call() : call);
  }

  void run() {
    if (!is_packed_) return operation_->run();
    layout_.pack(in(), packed_in(), sent_);
    operation_->run();
    layout_.unpack(packed_.call().out, out_.data(), received_);
  }

  void fill(int round) {
    packed_.fill(round);
    layout_.clear(out_.data(), received_);
    layout_.unpack(packed_.call().in, in(), sent_);
  }

  Case::Checked check(int round) {
    layout_.pack(out_.data(), packed_.call().out, received_);
    Case::Checked all = packed_.check(round);
    return all += layout_.check_gaps(out_.data(), received_);
  }

  const Call& call() const { return packed_.call(); }
  std::size_t extent() const { return layout_.extent(); }

 private:
  bool is_broadcast() const { return packed_.call().routine == Routine::broadcast; }
  /// The data of a broadcast are in one buffer.
  void* in() { return (is_broadcast() ? out_ : in_).data(); }
  /// The library only reads it, we write.
  void* packed_in() { return const_cast<void*>(packed_.call().in); }

  BlockLayout layout_;
  mpi::BlockType type_;
  CollectiveData packed_;
  bool is_packed_;
  std::size_t sent_ = 0, received_ = 0;  ///< messages
  device::Buffer in_, out_;
  std::unique_ptr<collective::Operation> operation_;
};

void datatype_collective(Case& c) {
  collective::Communicator& comm = c.communicator();
  const auto data = std::make_shared<BlockCollective>(c, comm);
  const std::uint64_t total = total_bytes(data->call(), c.size());
  c.verify("every byte of the received blocks against its sender's pattern, and the gaps",
           {.fill = [=](int round) { data->fill(round); },
            .check = [=](int round) { return data->check(round); },
            .count = verify_rounds(total)});
  c.work({.bytes = static_cast<double>(total), .formula = "total_bytes / latency"});
  c.fact("total_bytes", static_cast<std::int64_t>(total));
  c.fact("extent_bytes", static_cast<std::int64_t>(data->extent()));
  c.measure([&] { data->run(); }, {.metric = "latency", .warmup = 10});
}

/// Packed and separate, what the rank that needs most sends and receives.
std::uint64_t bytes_needed(const Point& p) {
  const int ranks = static_cast<int>(p.integer("ranks"));
  const Call call = packed_call(p, ranks);
  return buffer_bytes(call, false, ranks) +
         buffer_bytes(spaced_call(call), false, ranks) * block_extent(p);
}

SCALEMARK_BENCHMARK("micro/datatype_collective", datatype_collective)
    .doc("Collectives of separate blocks: by an MPI datatype, or packed by the ranks")
    .ranks(2)
    .axis("backend", {.values = {"mpi"}})
    .axis("span", {.values = rank_spans(), .defaults = {"any"}, .implied = "any"})
    .axis("memory", {.values = {"host"}, .implied = "host"})
    .axis("collective",
          {.values = kCollectives, .defaults = {"alltoall"}, .doc = "What the ranks do"})
    .with(block_axes)
    .axis_integer("bytes", {.minimum = 1,
                            .maximum = std::int64_t{1} << 29,
                            .defaults = "512:1M:*8",
                            .quick = "512,32K"})
    .memory(bytes_needed);

}  // namespace
}  // namespace scalemark::micro
