// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/datatype_pingpong: latency of a message whose blocks are not next to each other,
// by an MPI datatype or packed by the ranks.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/mpi/block_type.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

constexpr unsigned char kGap = 0xa5;  ///< what is between the blocks where data arrive

std::int64_t stride_of(const Point& p) {
  return p.integer("stride") == 0 ? 2 * p.integer("block") : p.integer("stride");
}

/// From the first block to the end of the last stride.
std::uint64_t extent_of(const Point& p) {
  return bytes_of(p) / static_cast<std::uint64_t>(p.integer("block")) *
         static_cast<std::uint64_t>(stride_of(p));
}

/// Offsets of the blocks: a block in each stride, at its start or, if irregular, anywhere in it.
std::vector<std::int64_t> offsets_of(const Point& p, std::uint64_t seed) {
  const std::int64_t stride = stride_of(p), block = p.integer("block");
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> shift(0, stride - block);
  std::vector<std::int64_t> offsets(bytes_of(p) / static_cast<std::uint64_t>(block));
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = static_cast<std::int64_t>(i) * stride +
                 (p.text("blocks") == "irregular" ? shift(random) : 0);
  return offsets;
}

/// Messages of blocks between two ranks, and their data.
class BlockMessages {
 public:
  /// Collective.
  explicit BlockMessages(Case& c)
      : c_(c),
        bytes_(bytes_of(c.result().params)),
        extent_(extent_of(c.result().params)),
        block_(static_cast<std::size_t>(c.integer("block"))),
        is_packed_(c.text("packing") == "manual"),
        offsets_(offsets_of(c.result().params, c.seed())),
        type_(c.text("blocks") == "irregular"
                  ? mpi::BlockType::indexed(offsets_, static_cast<int>(block_))
                  : mpi::BlockType::vector(static_cast<int>(offsets_.size()),
                                           static_cast<int>(block_),
                                           static_cast<int>(stride_of(c.result().params)))),
        packed_type_(mpi::BlockType::vector(1, static_cast<int>(bytes_), static_cast<int>(bytes_))),
        out_(c.alloc(extent_)),
        in_(c.alloc(extent_)),
        packed_out_(c.alloc(bytes_)),
        packed_in_(c.alloc(bytes_)) {}

  void send() {
    if (!is_packed_) return type_.send(c_.ranks(), out_.data(), peer());
    pack(out_.data(), packed_out_.data());
    packed_type_.send(c_.ranks(), packed_out_.data(), peer());
  }

  void receive() {
    if (!is_packed_) return type_.receive(c_.ranks(), in_.data(), peer());
    packed_type_.receive(c_.ranks(), packed_in_.data(), peer());
    unpack(packed_in_.data(), in_.data());
  }

  void fill() {
    fill_message(c_, packed_out_, bytes_, c_.rank());
    unpack(packed_out_.data(), out_.data());
    std::memset(in_.data(), kGap, extent_);
  }

  /// Blocks against the partner's, and the gaps, which nothing may have changed.
  Case::Checked check() {
    pack(in_.data(), packed_in_.data());
    Case::Checked all = check_message(c_, packed_in_, bytes_, peer());
    for (const std::int64_t offset : offsets_) std::memset(at(in_, offset), kGap, block_);
    const auto* const memory = static_cast<const unsigned char*>(in_.data());
    all.checked += extent_ - bytes_;
    all.wrong += extent_ - static_cast<std::size_t>(std::count(memory, memory + extent_, kGap));
    return all;
  }

 private:
  int peer() const { return 1 - c_.rank(); }
  static std::byte* at(device::Buffer& buffer, std::int64_t offset) {
    return static_cast<std::byte*>(buffer.data()) + offset;
  }
  void pack(const void* from, void* to) const {
    auto* next = static_cast<std::byte*>(to);
    for (const std::int64_t offset : offsets_) {
      std::memcpy(next, static_cast<const std::byte*>(from) + offset, block_);
      next += block_;
    }
  }
  void unpack(const void* from, void* to) const {
    const auto* next = static_cast<const std::byte*>(from);
    for (const std::int64_t offset : offsets_) {
      std::memcpy(static_cast<std::byte*>(to) + offset, next, block_);
      next += block_;
    }
  }

  Case& c_;
  std::size_t bytes_, extent_, block_;
  bool is_packed_;
  std::vector<std::int64_t> offsets_;
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
  c.fact("extent_bytes", static_cast<std::int64_t>(extent_of(c.result().params)));
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

constexpr std::int64_t kMaxExtent = std::int64_t{1} << 30;

SCALEMARK_BENCHMARK("micro/datatype_pingpong", datatype_pingpong)
    .doc("Latency of a message of separate blocks: by an MPI datatype, or packed by the ranks")
    .two_ranks()
    .axis("backend", {.values = {"mpi"}})
    .axis("span", {.values = rank_spans(), .defaults = {"any"}, .implied = "any"})
    .axis("memory", {.values = {"host"}, .implied = "host"})
    .axis("packing", {.values = {"datatype", "manual"},
                      .doc = "Who gathers the blocks: MPI, or loops of the ranks"})
    .axis("blocks", {.values = {"strided", "irregular"},
                     .defaults = {"strided"},
                     .doc = "A block at the start of each stride, or anywhere in it"})
    .axis_integer("block", {.minimum = 1,
                            .maximum = 1 << 20,
                            .defaults = "8,512",
                            .quick = "8",
                            .doc = "Size of a block",
                            .unit = "By"})
    .axis_integer("stride", {.minimum = 0,
                             .maximum = 1 << 21,
                             .defaults = "0",
                             .implied = 0,
                             .doc = "From one block to the next; 0: twice a block",
                             .unit = "By"})
    .axis_integer("bytes", {.minimum = 1,
                            .maximum = std::int64_t{1} << 29,
                            .defaults = "512:4M:*8",
                            .quick = "512,32K"})
    .where([](const Point& p) {
      return p.integer("bytes") % p.integer("block") == 0 && stride_of(p) >= p.integer("block") &&
             extent_of(p) <= static_cast<std::uint64_t>(kMaxExtent);
    })
    .memory([](const Point& p) { return 2 * (extent_of(p) + bytes_of(p)); });

}  // namespace
}  // namespace scalemark::micro
