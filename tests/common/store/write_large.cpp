// SPDX-License-Identifier: Apache-2.0
// Writes a run of any size, as parts or merged: write_large OUT.h5 CASES RANKS ITERATIONS [merge].
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/store/writer.hpp"
#include "tests/common/store/example.hpp"

namespace {

using namespace scalemark;

/// Times of about a millisecond, of which the low 12 bits are noise: those of a clock.
std::vector<std::uint64_t> times(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> values(count);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
  for (std::uint64_t& value : values) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    value = 1'000'000 + (state & 0xFFFU);
  }
  return values;
}

CaseResult large_case(std::size_t index, std::size_t ranks, std::size_t iterations) {
  CaseResult result;
  result.index = index;
  result.name = "test/large";
  result.params = {{"number", static_cast<std::int64_t>(index)},
                   {"ranks", static_cast<std::int64_t>(ranks)}};
  result.key = make_key(result.name, result.params);
  result.config_hash = hash_text(result.key);
  result.primary_metric = "time";
  Metric metric;
  metric.name = "time";
  metric.unit = std::string("s");
  metric.formula = std::string("T");
  metric.samples.ranks = ranks;
  metric.samples.iterations = iterations;
  metric.samples.scale = 1e-9;
  metric.samples.values = times(ranks * iterations, index + 1);
  result.metrics = {metric};
  return result;
}

void write(const std::string& output, std::size_t cases, std::size_t ranks, std::size_t iterations,
           bool merge) {
  Run run = test::example_run(0);
  for (std::size_t i = 0; i < cases; ++i)
    run.planned.push_back(make_key("test/large", {{"number", static_cast<std::int64_t>(i)},
                                                  {"ranks", static_cast<std::int64_t>(ranks)}}));
  FileSink sink({.output = output});
  sink.begin(run);
  for (std::size_t i = 0; i < cases; ++i) sink.add(large_case(i, ranks, iterations));
  if (merge) sink.end(run);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6) return 2;
  try {
    write(argv[1], std::stoul(argv[2]), std::stoul(argv[3]), std::stoul(argv[4]), argc == 6);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
