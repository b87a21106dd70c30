// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/datatype_pingpong: latency of a message whose blocks are not next to each other,
// by an MPI datatype or packed by the ranks.
#include <cstdint>
#include <memory>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/mpi/block_type.hpp"
#include "suites/micro/data/block_layout.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

/// Messages of blocks between two ranks, and their data.
class BlockMessages {
 public:
  /// Collective.
  explicit BlockMessages(Case& c)
      : c_(c),
        layout_(c.result().params, c.seed()),
        is_packed_(c.text("packing") == "manual"),
        type_(layout_.type()),
        packed_type_(mpi::BlockType::vector(1, static_cast<int>(layout_.bytes()),
                                            static_cast<int>(layout_.bytes()))),
        out_(c.alloc(layout_.extent())),
        in_(c.alloc(layout_.extent())),
        packed_out_(c.alloc(layout_.bytes())),
        packed_in_(c.alloc(layout_.bytes())) {}

  void send() {
    if (!is_packed_) return type_.send(c_.ranks(), out_.data(), peer());
    layout_.pack(out_.data(), packed_out_.data());
    packed_type_.send(c_.ranks(), packed_out_.data(), peer());
  }

  void receive() {
    if (!is_packed_) return type_.receive(c_.ranks(), in_.data(), peer());
    packed_type_.receive(c_.ranks(), packed_in_.data(), peer());
    layout_.unpack(packed_in_.data(), in_.data());
  }

  void fill() {
    fill_message(c_, packed_out_, layout_.bytes(), c_.rank());
    layout_.unpack(packed_out_.data(), out_.data());
    layout_.clear(in_.data());
  }

  /// Blocks against the partner's, and the gaps, which nothing may have changed.
  Case::Checked check() {
    layout_.pack(in_.data(), packed_in_.data());
    Case::Checked all = check_message(c_, packed_in_, layout_.bytes(), peer());
    return all += layout_.check_gaps(in_.data());
  }

  std::size_t extent() const { return layout_.extent(); }

 private:
  int peer() const { return 1 - c_.rank(); }

  Case& c_;
  BlockLayout layout_;
  bool is_packed_;
  mpi::BlockType type_, packed_type_;
  device::Buffer out_, in_, packed_out_, packed_in_;
};

void datatype_pingpong(Case& c) {
  c.communicator("mpi");  // its barrier starts each sample
  const auto messages = std::make_shared<BlockMessages>(c);
  c.throw_if_peer_failed();
  c.verify("every byte of the received blocks against the sender's pattern, and the gaps",
           {.fill = [=](int) { messages->fill(); },
            .check = [=](int) { return messages->check(); },
            .count = verify_rounds(bytes_of(c.result().params))});
  c.work({.bytes = static_cast<double>(bytes_of(c.result().params)),
          .formula = "bytes / latency",
          .carrier = Carrier::between_ranks});
  c.fact("extent_bytes", static_cast<std::int64_t>(messages->extent()));
  c.measure(
      [&] {
        if (c.rank() == 0) messages->send();
        messages->receive();
        if (c.rank() != 0) messages->send();
      },
      {.metric = "latency",
       .rank_reduce = RankReduce::root,
       .inner = 0,
       .scale = 0.5,
       .warmup = 10});
}

SCALEMARK_BENCHMARK("micro/datatype_pingpong", datatype_pingpong)
    .doc("Latency of a message of separate blocks: by an MPI datatype, or packed by the ranks")
    .two_ranks()
    .axis("backend", {.values = {"mpi"}})
    .axis("span", {.values = rank_spans(), .defaults = {"any"}, .implied = "any"})
    .axis("memory", {.values = {"host"}, .implied = "host"})
    .with(block_axes)
    .axis_integer("bytes", {.minimum = 1,
                            .maximum = std::int64_t{1} << 29,
                            .defaults = "512:4M:*8",
                            .quick = "512,32K"})
    .memory([](const Point& p) { return 2 * (block_extent(p) + bytes_of(p)); });

}  // namespace
}  // namespace scalemark::micro
