// SPDX-License-Identifier: Apache-2.0
// Kernels: pack strided data into a contiguous message and unpack it, with plain loops. Patterns:
// blocks at equal distances, and faces of a three-dimensional array (a halo).
#include <cstddef>
#include <vector>

#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::micro::kernels {
namespace {

/// `outer` x `inner` runs of `length` doubles each; strides in doubles, in an array of `size`
/// doubles.
struct Pattern {
  std::size_t size = 0, outer = 0, outer_stride = 0, inner = 0, inner_stride = 0, length = 0;
  std::size_t packed() const { return outer * inner * length; }
};

/// Every second block, like MPI_Type_vector with a stride of twice the block length.
Pattern vector_pattern(std::size_t block, std::size_t bytes) {
  const std::size_t count = bytes / (block * sizeof(double));
  return {.size = 2 * block * count,
          .outer = 1,
          .outer_stride = 0,
          .inner = count,
          .inner_stride = 2 * block,
          .length = block};
}

/// The first face normal to an axis of an array of n x n x n doubles, contiguous in z.
Pattern face_pattern(char normal, std::size_t n) {
  const std::size_t x = n * n, y = n;
  if (normal == 'x') return {x * n, n, y, 1, 1, n};
  if (normal == 'y') return {x * n, n, x, 1, 1, n};
  return {x * n, n, x, n, y, 1};
}

/// Calls move(index in the array, index in the message) for each double, in order.
template <typename Move>
void for_each_packed(const Pattern& pattern, const Move& move) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < pattern.outer; ++i) {
    for (std::size_t j = 0; j < pattern.inner; ++j) {
      const std::size_t begin = i * pattern.outer_stride + j * pattern.inner_stride;
      for (std::size_t k = 0; k < pattern.length; ++k) move(begin + k, place++);
    }
  }
}

void run_pack(benchmark::State& state, const Pattern& pattern) {
  std::vector<double> array(pattern.size), message(pattern.packed(), -1);
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<double>(i);
  for (auto _ : state) {
    for_each_packed(pattern, [&](std::size_t from, std::size_t to) { message[to] = array[from]; });
    benchmark::DoNotOptimize(message.data());
    benchmark::ClobberMemory();
  }
  std::uint64_t wrong = 0;
  for_each_packed(pattern, [&](std::size_t from, std::size_t to) {
    wrong += message[to] == static_cast<double>(from) ? 0 : 1;
  });
  set_checked(state, message.size(), wrong, "every element of the message");
  set_work(state, {.bytes = 2.0 * static_cast<double>(pattern.packed() * sizeof(double))});
}

void run_unpack(benchmark::State& state, const Pattern& pattern) {
  std::vector<double> array(pattern.size, -1), message(pattern.packed());
  for (std::size_t i = 0; i < message.size(); ++i) message[i] = static_cast<double>(i);
  for (auto _ : state) {
    for_each_packed(pattern, [&](std::size_t to, std::size_t from) { array[to] = message[from]; });
    benchmark::DoNotOptimize(array.data());
    benchmark::ClobberMemory();
  }
  // Data between the blocks must be unchanged.
  std::vector<double> want(pattern.size, -1);
  for_each_packed(pattern,
                  [&](std::size_t to, std::size_t from) { want[to] = static_cast<double>(from); });
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < array.size(); ++i) wrong += array[i] == want[i] ? 0 : 1;
  set_checked(state, array.size(), wrong, "every element of the array, also between the blocks");
  set_work(state, {.bytes = 2.0 * static_cast<double>(pattern.packed() * sizeof(double))});
}

void add_both(const std::string& what, const Point& params, const Pattern& pattern) {
  add("pack_" + what, params, [=](benchmark::State& state) { run_pack(state, pattern); });
  add("unpack_" + what, params, [=](benchmark::State& state) { run_unpack(state, pattern); });
}

[[maybe_unused]] const bool kPackAdded = [] {
  constexpr std::int64_t kBytes = 1 << 20, kFace = 128;
  for (const std::int64_t block : {1, 8, 512})
    add_both("vector", {{"block", block}, {"bytes", kBytes}},
             vector_pattern(static_cast<std::size_t>(block), kBytes));
  for (const char normal : {'x', 'y', 'z'})
    add_both("face", {{"n", kFace}, {"normal", std::string(1, normal)}},
             face_pattern(normal, kFace));
  return true;
}();

}  // namespace
}  // namespace scalemark::micro::kernels
