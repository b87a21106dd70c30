// SPDX-License-Identifier: Apache-2.0
// Patterns are made and checked on the host; device memory is copied.
#include "suites/micro/message_pattern.hpp"

#include <cstdint>
#include <vector>

#include "common/golden/fill.hpp"

namespace scalemark {
namespace {

/// A period that is no power of two, so that a shift by a page or a chunk shows.
constexpr std::size_t kPeriod = 4099;

/// Summands are 0..255: 65,536 of them still sum exactly in fp32's 24 bits.
constexpr std::uint64_t kSummandRange = 256;

std::vector<std::uint8_t> message_period(std::uint64_t seed, int sender) {
  std::vector<std::uint8_t> period(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) {
    period[i] =
        static_cast<std::uint8_t>(golden::word(seed, static_cast<std::uint64_t>(sender), i));
  }
  return period;
}

std::vector<float> summand_period(std::uint64_t seed, int rank) {
  std::vector<float> period(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) {
    period[i] =
        static_cast<float>(golden::word(seed, static_cast<std::uint64_t>(rank), i) % kSummandRange);
  }
  return period;
}

/// The values of `buffer` on the host: itself, or a copy.
template <typename T>
std::vector<T> on_host(Case& c, const device::Buffer& buffer, std::size_t offset,
                       std::size_t count) {
  std::vector<T> values(count);
  c.device().copy(values.data(), buffer.as<T>() + offset, count * sizeof(T), c.stream());
  c.stream().synchronize();
  return values;
}

/// What was checked must be received again before it can pass another time.
void wipe(Case& c, const device::Buffer& buffer, std::size_t offset, std::size_t bytes) {
  const std::vector<std::uint8_t> junk(bytes, 0xA5);
  c.device().copy(buffer.as<std::uint8_t>() + offset, junk.data(), bytes, c.stream());
  c.stream().synchronize();
}

template <typename T>
void fill(Case& c, const device::Buffer& buffer, std::size_t count, const std::vector<T>& period) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = period[i % kPeriod];
  c.device().copy(buffer.data(), values.data(), count * sizeof(T), c.stream());
  c.stream().synchronize();
}

template <typename T>
Case::Checked compare(const std::vector<T>& values, const std::vector<T>& period) {
  Case::Checked result{values.size(), 0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != period[i % kPeriod]) ++result.wrong;
  }
  return result;
}

}  // namespace

void require_support(Case& c, const collective::Communicator& comm, collective::DType type,
                     collective::ReduceOp op) {
  const bool on_device = c.device().kind() == device::DeviceKind::cuda;
  const std::string why =
      comm.why_not(type, op, on_device ? device::MemoryKind::device : device::MemoryKind::pageable);
  if (!why.empty()) c.skip(why);
}

bool backend_suits_memory(const Params& params) {
  return std::get<std::string>(params.at("backend")) != "nccl" ||
         std::get<std::string>(params.at("memory")) == "device";
}

void fill_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender) {
  fill(c, buffer, bytes, message_period(c.seed(), sender));
}

Case::Checked check_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender,
                            std::size_t offset) {
  const Case::Checked result =
      compare(on_host<std::uint8_t>(c, buffer, offset, bytes), message_period(c.seed(), sender));
  wipe(c, buffer, offset, bytes);
  return result;
}

void fill_summand(Case& c, const device::Buffer& buffer, std::size_t count, int rank) {
  fill(c, buffer, count, summand_period(c.seed(), rank));
}

Case::Checked check_sum(Case& c, const device::Buffer& buffer, std::size_t count, int ranks) {
  std::vector<float> expected(kPeriod, 0.0F);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> period = summand_period(c.seed(), rank);
    for (std::size_t i = 0; i < kPeriod; ++i) expected[i] += period[i];
  }
  const Case::Checked result = compare(on_host<float>(c, buffer, 0, count), expected);
  wipe(c, buffer, 0, count * sizeof(float));
  return result;
}

}  // namespace scalemark
