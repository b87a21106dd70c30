// SPDX-License-Identifier: Apache-2.0
// Host memory: copy and STREAM triad, one core.
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

void memcpy_kernel(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const std::vector<char> from(bytes, 'a');
  std::vector<char> to(bytes, 'b');
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  if (to != from) state.SkipWithError("wrong data: the copy differs");
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

/// a[i] = b[i] + s * c[i]; 24 bytes and 2 FLOPs an element (McCalpin, STREAM).
void triad_kernel(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0)) / (3 * sizeof(double));
  std::vector<double> a(count), b(count, 1.5), c(count, 2.0);
  const double s = 3.0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + s * c[i];
    benchmark::DoNotOptimize(a.data());
    benchmark::ClobberMemory();
  }
  for (const double value : a) {
    if (value != 7.5) {
      state.SkipWithError("wrong data: an element is not b + s * c");
      break;
    }
  }
  const auto elements = static_cast<std::int64_t>(count);
  state.SetBytesProcessed(state.iterations() * elements * 24);
  state.counters["flops"] = benchmark::Counter(
      static_cast<double>(state.iterations() * elements * 2), benchmark::Counter::kIsRate);
}

BENCHMARK(memcpy_kernel)
    ->Name("memcpy")
    ->ArgName("bytes")
    ->RangeMultiplier(8)
    ->Range(4 << 10, 64 << 20)
    ->UseRealTime();
BENCHMARK(triad_kernel)
    ->Name("triad")
    ->ArgName("bytes")
    ->RangeMultiplier(8)
    ->Range(4 << 10, 64 << 20)
    ->UseRealTime();

}  // namespace
