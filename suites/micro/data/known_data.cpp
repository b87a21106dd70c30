// SPDX-License-Identifier: Apache-2.0
// Input values per rank, their exact reductions by integer arithmetic, and their encoding.
#include "suites/micro/data/known_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "common/collective/fp8.hpp"
#include "common/collective/half.hpp"
#include "common/golden/fill.hpp"

namespace scalemark::micro {
namespace {

using collective::Call;
using collective::DType;
using collective::ReduceOp;
using collective::Routine;

/// All integers up to this value are exact in the type.
std::int64_t exact_up_to(DType type) {
  switch (type) {
    case DType::fp8_e5m2:
      return 8;
    case DType::fp8_e4m3:
      return 16;
    case DType::int8:
      return 127;
    case DType::uint8:
      return 255;
    case DType::bf16:
      return 256;
    case DType::fp16:
      return 2048;
    case DType::fp32:
      return std::int64_t{1} << 24;
    default:
      return std::int64_t{1} << 31;
  }
}

/// Maximum summand, if the type has enough range.
constexpr std::int64_t kLargest = 255;
/// Bound of the values for min and max, if the type has enough range.
constexpr std::int64_t kBound = 100;
/// Maximum number of factors 2 in a product: 64 is exact in every type.
constexpr std::int64_t kFactors = 6;

/// Added to the values for min and max of unsigned types: signed arithmetic would order them
/// differently.
constexpr std::uint64_t middle_of(DType type) {
  return std::uint64_t{1} << (8 * size_of(type) - 1);
}

/// Values of all ranks at one position of the period, and their reduction.
class Column {
 public:
  Column(std::uint64_t seed, DType type, ReduceOp op, int ranks, std::size_t place)
      : op_(op),
        ranks_(ranks),
        word_(golden::word(seed, 0x5EED, place)),
        seed_(seed),
        place_(place) {
    // If a sum of ones over all ranks is not exact, only this many ranks contribute.
    contributors_ = std::min<std::int64_t>(ranks, exact_up_to(type));
    headroom_ = exact_up_to(type) / ranks;
    bound_ = std::min(kBound, exact_up_to(type));
    is_unsigned_ = is_unsigned(type);
  }

  std::int64_t value(int rank) const {
    switch (op_) {
      case ReduceOp::sum:
        return contributes(rank, contributors_)
                   ? below(rank, std::clamp<std::int64_t>(headroom_, 1, kLargest) + 1)
                   : 0;
      case ReduceOp::prod:
        return contributes(rank, below(-1, std::min<std::int64_t>(ranks_, kFactors) + 1)) ? 2 : 1;
      case ReduceOp::min:
      case ReduceOp::max:
        return below(rank, 2 * bound_ + 1) - bound_;
      case ReduceOp::avg:
        return average() + phase_offset(rank);
    }
    return 0;
  }

  std::int64_t reduced() const {
    if (op_ == ReduceOp::avg) return average();
    std::int64_t result = value(0);
    for (int rank = 1; rank < ranks_; ++rank) {
      const std::int64_t x = value(rank);
      if (op_ == ReduceOp::sum) result += x;
      if (op_ == ReduceOp::prod) result *= x;
      if (op_ == ReduceOp::min) result = std::min(result, x);
      if (op_ == ReduceOp::max) result = std::max(result, x);
    }
    return result;
  }

 private:
  /// A pseudo-random number in [0, end) for this position and rank.
  std::int64_t below(int rank, std::int64_t end) const {
    const std::uint64_t word = golden::word(seed_, static_cast<std::uint64_t>(rank + 1), place_);
    return static_cast<std::int64_t>(word % static_cast<std::uint64_t>(end));
  }
  /// Whether the rank is among `count` contributing ranks, which differ by position.
  bool contributes(int rank, std::int64_t count) const {
    const auto shift = static_cast<std::int64_t>(word_ % static_cast<std::uint64_t>(ranks_));
    return (rank + shift) % ranks_ < count;
  }
  /// One below the range per rank, since phase_offset() may add 1. It may also subtract 1, which
  /// unsigned types must have room for.
  std::int64_t average() const {
    const std::int64_t least = is_unsigned_ && has_offsets() ? 1 : 0;
    return least + below(-1, std::clamp<std::int64_t>(headroom_ - 1 - least, 1, kLargest - least));
  }
  bool has_offsets() const { return headroom_ >= (is_unsigned_ ? 3 : 2); }
  /// +1 and -1 on neighbouring ranks, which keep the average exact. 0 if there is no range or no
  /// neighbour.
  std::int64_t phase_offset(int rank) const {
    if (!has_offsets()) return 0;
    const auto shift = static_cast<std::int64_t>(word_ % static_cast<std::uint64_t>(ranks_));
    const std::int64_t place = (rank + shift) % ranks_;
    if (ranks_ % 2 == 1 && place == ranks_ - 1) return 0;
    return place % 2 == 0 ? 1 : -1;
  }

  ReduceOp op_;
  int ranks_;
  std::uint64_t word_, seed_;
  std::size_t place_;
  std::int64_t contributors_ = 0, headroom_ = 0, bound_ = 0;
  bool is_unsigned_ = false;
};

template <typename T>
void put(void* to, std::size_t index, T value) {
  std::memcpy(static_cast<T*>(to) + index, &value, sizeof value);
}

void encode(void* to, std::size_t index, DType type, std::int64_t value) {
  switch (type) {
    case DType::int8:
      return put(to, index, static_cast<std::int8_t>(value));
    case DType::uint8:
      return put(to, index, static_cast<std::uint8_t>(value));
    case DType::int32:
      return put(to, index, static_cast<std::int32_t>(value));
    case DType::uint32:
      return put(to, index, static_cast<std::uint32_t>(value));
    case DType::int64:
      return put(to, index, value);
    case DType::uint64:
      return put(to, index, static_cast<std::uint64_t>(value));
    case DType::fp16:
      return put(to, index, collective::Fp16::narrow(static_cast<float>(value)));
    case DType::bf16:
      return put(to, index, collective::Bf16::narrow(static_cast<float>(value)));
    case DType::fp8_e4m3:
      return put(to, index, collective::Fp8E4m3::narrow(static_cast<float>(value)));
    case DType::fp8_e5m2:
      return put(to, index, collective::Fp8E5m2::narrow(static_cast<float>(value)));
    case DType::fp32:
      return put(to, index, static_cast<float>(value));
    case DType::fp64:
      return put(to, index, static_cast<double>(value));
  }
}

/// A value of Column.
void encode(void* to, std::size_t index, DType type, ReduceOp op, std::int64_t value) {
  const bool shifts = is_unsigned(type) && (op == ReduceOp::min || op == ReduceOp::max);
  const std::uint64_t offset = shifts ? middle_of(type) : 0;
  encode(to, index, type, static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + offset));
}

template <typename T>
T get(const void* from, std::size_t index) {
  T value{};
  std::memcpy(&value, static_cast<const T*>(from) + index, sizeof value);
  return value;
}

template <typename Small>
float get_small(const void* from, std::size_t index) {
  return Small::widen(get<typename Small::Bits>(from, index));
}

/// Whether two floating-point numbers differ by at most 2 units in the last place.
bool is_near(const void* data, const void* wanted, std::size_t at, DType type) {
  double is = 0, should = 0, step = 0;
  const auto read = [&](auto widen, double epsilon) {
    is = widen(data, at);
    should = widen(wanted, at);
    // One unit in the last place at this value; averages are integers.
    step = std::ldexp(epsilon, std::ilogb(std::max(std::abs(should), 1.0)));
  };
  switch (type) {
    case DType::fp16:
      read(get_small<collective::Fp16>, 0x1p-10);
      break;
    case DType::bf16:
      read(get_small<collective::Bf16>, 0x1p-7);
      break;
    case DType::fp8_e4m3:
      read(get_small<collective::Fp8E4m3>, 0x1p-3);
      break;
    case DType::fp8_e5m2:
      read(get_small<collective::Fp8E5m2>, 0x1p-2);
      break;
    case DType::fp32:
      read(get<float>, 0x1p-23);
      break;
    case DType::fp64:
      read(get<double>, 0x1p-52);
      break;
    default:
      return false;
  }
  return std::abs(is - should) <= 2 * step;
}

}  // namespace

KnownData::KnownData(std::uint64_t seed, DType type) : seed_(seed), type_(type) {}

KnownData::KnownData(std::uint64_t seed, DType type, ReduceOp op, int ranks)
    : seed_(seed), type_(type), op_(op), ranks_(ranks) {
  reduced_.resize(kPeriod * size_of(type));
  for (std::size_t i = 0; i < kPeriod; ++i)
    encode(reduced_.data(), i, type, op, Column(seed, type, op, ranks, i).reduced());
}

KnownData::Bytes KnownData::period_of(int rank) const {
  Bytes period(kPeriod * size_of(type_));
  if (ranks_ > 0) {
    for (std::size_t i = 0; i < kPeriod; ++i)
      encode(period.data(), i, type_, op_, Column(seed_, type_, op_, ranks_, i).value(rank));
    return period;
  }
  for (std::size_t i = 0; i < period.size(); ++i)
    period[i] = static_cast<std::uint8_t>(golden::word(seed_, static_cast<std::uint64_t>(rank), i));
  return period;
}

const KnownData::Bytes& KnownData::kept_period_of(int rank) const {
  if (rank != kept_rank_) {
    kept_ = period_of(rank);
    kept_rank_ = rank;
  }
  return kept_;
}

void KnownData::write(void* to, std::size_t count, int rank, std::size_t position) const {
  const Bytes& period = kept_period_of(rank);
  const std::size_t element = size_of(type_);
  auto* out = static_cast<std::uint8_t*>(to);
  for (std::size_t done = 0; done < count;) {
    const std::size_t from = (position + done) % kPeriod;
    const std::size_t run = std::min(kPeriod - from, count - done);
    std::memcpy(out + done * element, period.data() + from * element, run * element);
    done += run;
  }
}

std::size_t KnownData::wrong(const void* data, std::size_t count, int rank,
                             std::size_t position) const {
  return differing(data, count, kept_period_of(rank), position, /*exact=*/true);
}

std::size_t KnownData::wrong_reduction(const void* data, std::size_t count,
                                       std::size_t position) const {
  return differing(data, count, reduced_, position, op_ != ReduceOp::avg);
}

std::size_t KnownData::differing(const void* data, std::size_t count, const Bytes& period,
                                 std::size_t position, bool exact) const {
  const std::size_t element = size_of(type_);
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  std::size_t differ = 0;
  for (std::size_t done = 0; done < count;) {
    const std::size_t from = (position + done) % kPeriod;
    const std::size_t run = std::min(kPeriod - from, count - done);
    const std::uint8_t *is = bytes + done * element, *should = period.data() + from * element;
    if (std::memcmp(is, should, run * element) != 0) {
      for (std::size_t i = 0; i < run; ++i) {
        const bool same = std::memcmp(is + i * element, should + i * element, element) == 0;
        if (!same && (exact || !is_near(is, should, i, type_))) ++differ;
      }
    }
    done += run;
  }
  return differ;
}

std::vector<Block> result_blocks(const Call& call, int rank, int size) {
  const auto mine = static_cast<std::size_t>(rank);
  const bool is_root = rank == call.root;
  std::vector<Block> blocks;
  std::size_t offset = 0;
  const auto add = [&](std::size_t count, int sender, std::size_t position) {
    if (count > 0) blocks.push_back({offset, count, sender, position});
    offset += count;
  };
  const auto before = [](const std::vector<std::size_t>& counts, std::size_t end) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < end; ++i) sum += counts.at(i);
    return sum;
  };
  switch (call.routine) {
    case Routine::barrier:
      break;
    case Routine::allreduce:
      add(call.count, Block::kReduced, 0);
      break;
    case Routine::reduce:
      if (is_root) add(call.count, Block::kReduced, 0);
      break;
    case Routine::reduce_scatter:
    case Routine::reduce_scatter_block:
      add(call.count, Block::kReduced, mine * call.count);
      break;
    case Routine::broadcast:
      if (!is_root) add(call.count, call.root, 0);
      break;
    case Routine::scatter:
      add(call.count, call.root, mine * call.count);
      break;
    case Routine::scatterv:
      add(call.to.at(mine), call.root, before(call.to, mine));
      break;
    case Routine::gather:
    case Routine::allgather:
    case Routine::alltoall:
      if (call.routine == Routine::gather && !is_root) break;
      for (int sender = 0; sender < size; ++sender)
        add(call.count, sender, call.routine == Routine::alltoall ? mine * call.count : 0);
      break;
    case Routine::gatherv:
    case Routine::allgatherv:
      if (call.routine == Routine::gatherv && !is_root) break;
      for (int sender = 0; sender < size; ++sender)
        add(call.from.at(static_cast<std::size_t>(sender)), sender, 0);
      break;
    case Routine::alltoallv:
    case Routine::alltoallw: {
      // Senders that all send this rank the same divide their inputs as this rank does. Others send
      // the same to every rank.
      const bool gets_alike = std::ranges::count(call.from, call.from.at(mine)) == size;
      const std::size_t alike = before(call.to, mine);
      for (int sender = 0; sender < size; ++sender) {
        const std::size_t count = call.from.at(static_cast<std::size_t>(sender));
        add(count, sender, gets_alike ? alike : mine * count);
      }
      break;
    }
    case Routine::neighbor_allgather:
    case Routine::neighbor_allgatherv:
      for (const int sender : call.neighbors.sources) add(call.count, sender, 0);
      break;
    case Routine::neighbor_alltoall:
    case Routine::neighbor_alltoallv:
    case Routine::neighbor_alltoallw:
      for (std::size_t i = 0; i < call.neighbors.sources.size(); ++i)
        add(call.count, call.neighbors.sources[i], call.neighbors.places[i] * call.count);
      break;
  }
  return blocks;
}

}  // namespace scalemark::micro
