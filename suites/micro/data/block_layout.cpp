// SPDX-License-Identifier: Apache-2.0
// Places of blocks, and copies between them and packed memory.
#include "suites/micro/data/block_layout.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

constexpr unsigned char kGap = 0xa5;
constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 30;

std::int64_t stride_of(const Point& p) {
  return p.integer("stride") == 0 ? 2 * p.integer("block") : p.integer("stride");
}

}  // namespace

BlockLayout::BlockLayout(const Point& point, std::uint64_t seed)
    : offsets_(bytes_of(point) / static_cast<std::uint64_t>(point.integer("block"))),
      block_(static_cast<std::size_t>(point.integer("block"))),
      extent_(block_extent(point)),
      stride_(stride_of(point)),
      is_irregular_(point.text("blocks") == "irregular") {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> shift(0, stride_ - point.integer("block"));
  for (std::size_t i = 0; i < offsets_.size(); ++i)
    offsets_[i] = static_cast<std::int64_t>(i) * stride_ + (is_irregular_ ? shift(random) : 0);
}

mpi::BlockType BlockLayout::type() const {
  const auto block = static_cast<int>(block_);
  const mpi::BlockType blocks = is_irregular_
                                    ? mpi::BlockType::indexed(offsets_, block)
                                    : mpi::BlockType::vector(static_cast<int>(offsets_.size()),
                                                             block, static_cast<int>(stride_));
  return blocks.resized(static_cast<std::int64_t>(extent_));
}

void BlockLayout::pack(const void* spaced, void* packed, std::size_t messages) const {
  auto* next = static_cast<std::byte*>(packed);
  const auto* from = static_cast<const std::byte*>(spaced);
  for (std::size_t message = 0; message < messages; ++message, from += extent_) {
    for (const std::int64_t offset : offsets_) {
      std::memcpy(next, from + offset, block_);
      next += block_;
    }
  }
}

void BlockLayout::unpack(const void* packed, void* spaced, std::size_t messages) const {
  const auto* next = static_cast<const std::byte*>(packed);
  auto* to = static_cast<std::byte*>(spaced);
  for (std::size_t message = 0; message < messages; ++message, to += extent_) {
    for (const std::int64_t offset : offsets_) {
      std::memcpy(to + offset, next, block_);
      next += block_;
    }
  }
}

void BlockLayout::clear(void* spaced, std::size_t messages) const {
  std::memset(spaced, kGap, messages * extent_);
}

Case::Checked BlockLayout::check_gaps(void* spaced, std::size_t messages) const {
  auto* const memory = static_cast<std::byte*>(spaced);
  for (std::size_t message = 0; message < messages; ++message) {
    for (const std::int64_t offset : offsets_)
      std::memset(memory + message * extent_ + offset, kGap, block_);
  }
  const auto changed = static_cast<std::uint64_t>(
      std::count_if(memory, memory + messages * extent_,
                    [](std::byte one) { return one != static_cast<std::byte>(kGap); }));
  clear(spaced, messages);
  return {.checked = messages * (extent_ - bytes()), .wrong = changed};
}

std::uint64_t block_extent(const Point& point) {
  return bytes_of(point) / static_cast<std::uint64_t>(point.integer("block")) *
         static_cast<std::uint64_t>(stride_of(point));
}

void block_axes(Benchmark& benchmark) {
  benchmark
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
      .where([](const Point& p) {
        return p.integer("bytes") % p.integer("block") == 0 && stride_of(p) >= p.integer("block") &&
               block_extent(p) <= kMaxExtent;
      });
}

}  // namespace scalemark::micro
