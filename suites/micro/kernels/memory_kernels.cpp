// SPDX-License-Identifier: Apache-2.0
// Kernels on host memory, one core: copy, fill, and STREAM (McCalpin 1995) with plain and with
// non-temporal stores.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "suites/micro/kernels/kernel.hpp"
#include "suites/micro/memory/stream_engine.hpp"

namespace scalemark::micro::kernels {
namespace {

constexpr std::array<std::int64_t, 6> kSizes = {4 << 10, 32 << 10, 256 << 10,
                                                2 << 20, 16 << 20, 64 << 20};
constexpr std::int64_t kSmallestPastCaches = 256 << 10;

void run_memcpy(benchmark::State& state, std::size_t bytes) {
  std::vector<unsigned char> from(bytes), to(bytes, 0);
  for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<unsigned char>(i % 251 + 1);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < bytes; ++i) wrong += to[i] == from[i] ? 0 : 1;
  set_checked(state, bytes, wrong, "every byte of the copy");
  set_work(state, {.bytes = static_cast<double>(bytes), .moved = 2.0 * static_cast<double>(bytes)});
}

/// Writes each element once, with a value whose bytes are not all equal.
void run_fill(benchmark::State& state, std::size_t bytes) {
  constexpr double kValue = 1.1;
  std::vector<double> to(bytes / sizeof(double), 0.0);
  for (auto _ : state) {
    std::ranges::fill(to, kValue);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  const auto right = static_cast<std::size_t>(std::ranges::count(to, kValue));
  set_checked(state, to.size(), to.size() - right, "every element");
  set_work(state, {.bytes = static_cast<double>(bytes), .moved = 2.0 * static_cast<double>(bytes)});
}

/// `bytes` is the total size of all arrays of the loop, which STREAM counts as moved.
void run_stream(benchmark::State& state, StreamKernel kernel, bool non_temporal,
                std::size_t bytes) {
  const auto arrays = static_cast<std::size_t>(stream_reads(kernel) + 1);
  const std::size_t count = bytes / (arrays * sizeof(double));
  std::vector<double> to(count, -1.0), from(count), other(arrays == 3 ? count : 0);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = stream_from<double>(i, 0);
  for (std::size_t i = 0; i < other.size(); ++i) other[i] = stream_other<double>(i);
  const StreamArrays<double> operands{to.data(), from.data(), other.data()};
  for (auto _ : state) {
    if (non_temporal)
      stream_non_temporal(kernel, operands, 0, count);
    else
      stream(kernel, operands, 0, count);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i)
    wrong += to[i] == stream_expected<double>(kernel, i, 0) ? 0 : 1;
  set_checked(state, count, wrong, "every element against the loop's exact result");
  set_work(state,
           {.bytes = static_cast<double>(count * arrays * sizeof(double)),
            .flops = static_cast<double>(stream_flops(kernel)) * static_cast<double>(count)});
}

void add_stream(StreamKernel kernel) {
  const std::string name(to_string(kernel));
  for (const std::int64_t bytes : kSizes)
    add(name, {{"bytes", bytes}}, [=](benchmark::State& state) {
      run_stream(state, kernel, false, static_cast<std::size_t>(bytes));
    });
  if (!why_no_non_temporal_stores().empty()) return;
  for (const std::int64_t bytes : kSizes) {
    if (bytes < kSmallestPastCaches) continue;
    add(name, {{"bytes", bytes}, {"stores", std::string("non_temporal")}},
        [=](benchmark::State& state) {
          run_stream(state, kernel, true, static_cast<std::size_t>(bytes));
        });
  }
}

[[maybe_unused]] const bool kMemoryAdded = [] {
  for (const std::int64_t bytes : kSizes)
    add("memcpy", {{"bytes", bytes}},
        [=](benchmark::State& state) { run_memcpy(state, static_cast<std::size_t>(bytes)); });
  for (const std::int64_t bytes : kSizes)
    add("fill", {{"bytes", bytes}},
        [=](benchmark::State& state) { run_fill(state, static_cast<std::size_t>(bytes)); });
  for (const StreamKernel kernel :
       {StreamKernel::copy, StreamKernel::scale, StreamKernel::add, StreamKernel::triad})
    add_stream(kernel);
  return true;
}();

}  // namespace
}  // namespace scalemark::micro::kernels
