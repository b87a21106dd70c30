// SPDX-License-Identifier: Apache-2.0
// Runs with noise of known kinds and planted changes, for tests of comparisons.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"
#include "tests/support/random.hpp"

namespace scalemark::test {

/// Noise on the logarithm of times; fractions, not percent.
struct Scenario {
  int runs_a = 3, runs_b = 3;
  std::size_t rows = 200, iterations = 200;
  double iteration_sd = 0.02, correlation = 0.5;  ///< AR(1) within a run
  double spikes = 0.01;                           ///< iterations that take half as long again
  double run_sd = 0.01;        ///< a run's own effect on a row: what repeats of runs are for
  bool rows_differ = false;    ///< run_sd varies over rows: times sqrt(4 / chi-square(4))
  double slow_mode = 0;        ///< iterations in a second mode, 10 % slower
  double slow_runs = 0;        ///< chance of a row in a run to be 5 % slower: a bad node
  double slow_whole_runs = 0;  ///< chance of a run to be 5 % slower in all rows
  double changed = 0;          ///< fraction of the rows in which B is slower
  double change = 0.05;        ///< by this
  bool both_ways = false;      ///< every second changed row is faster instead
};

/// Medians in ns, [row][run], A's runs first.
struct GeneratedTable {
  std::vector<std::vector<double>> medians;
  std::vector<double> planted;  ///< ln of each row's change
  std::size_t runs_a = 0;
};

/// Nearly normal, from three 16-bit numbers of a word: for what enters a median only.
inline double quick_normal(std::uint64_t word) {
  const auto sum =
      static_cast<double>((word & 0xFFFF) + ((word >> 16) & 0xFFFF) + ((word >> 32) & 0xFFFF));
  return (sum / 65535 - 1.5) * 2;
}

/// The log median of one run's iterations about 0.
inline double run_median(const Scenario& scenario, Random& random, std::vector<double>& values) {
  values.resize(scenario.iterations);
  const double fresh = std::sqrt(1 - scenario.correlation * scenario.correlation);
  const double spike = std::log(1.5);
  const auto spike_words = static_cast<std::uint64_t>(scenario.spikes * 65536);
  double state = quick_normal(random.word());
  for (double& value : values) {
    const std::uint64_t word = random.word();
    state = scenario.correlation * state + fresh * quick_normal(word);
    value = scenario.iteration_sd * state + ((word >> 48) < spike_words ? spike : 0);
    if (scenario.slow_mode > 0 && random.chance(scenario.slow_mode)) value += std::log(1.1);
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

inline GeneratedTable generate(const Scenario& scenario, std::uint64_t seed) {
  Random random(seed);
  GeneratedTable table;
  table.runs_a = static_cast<std::size_t>(scenario.runs_a);
  const std::size_t runs = table.runs_a + static_cast<std::size_t>(scenario.runs_b);
  std::vector<double> whole(runs, 0.0), values;
  for (double& shift : whole) shift = random.chance(scenario.slow_whole_runs) ? std::log(1.05) : 0;
  const auto changed =
      static_cast<std::size_t>(std::lround(scenario.changed * static_cast<double>(scenario.rows)));
  for (std::size_t g = 0; g < scenario.rows; ++g) {
    const double size = std::log1p(scenario.change);
    const double planted = g >= changed ? 0 : scenario.both_ways && g % 2 == 1 ? -size : size;
    double sd = scenario.run_sd;
    if (scenario.rows_differ) {
      // A chi-square of 4 degrees of freedom is -2 ln of two uniform numbers' product.
      sd *= std::sqrt(4 / (-2 * std::log(random.uniform() * random.uniform())));
    }
    const double level = std::log(1e4) + 6 * random.uniform();
    std::vector<double> row;
    for (std::size_t r = 0; r < runs; ++r) {
      double x = level + whole[r] + sd * random.normal() + run_median(scenario, random, values);
      if (scenario.slow_runs > 0 && random.chance(scenario.slow_runs)) x += std::log(1.05);
      if (r >= table.runs_a) x += planted;
      row.push_back(std::exp(x));
    }
    table.medians.push_back(std::move(row));
    table.planted.push_back(planted);
  }
  return table;
}

/// What a comparison takes: latencies in seconds, keys are the rows' numbers.
inline std::vector<compare::RunDigest> digests(const GeneratedTable& table, bool of_a) {
  std::vector<compare::RunDigest> runs;
  const std::size_t begin = of_a ? 0 : table.runs_a;
  const std::size_t end = of_a ? table.runs_a : table.medians.front().size();
  for (std::size_t r = begin; r < end; ++r) {
    compare::RunDigest run;
    run.uuid = "run" + std::to_string(r);
    run.label = run.uuid;
    for (std::size_t g = 0; g < table.medians.size(); ++g) {
      compare::RowDigest row;
      row.metric = std::string("latency");
      row.unit = std::string("s");
      row.better = Better::lower;
      row.value = table.medians[g][r] * 1e-9;
      const std::string key = std::to_string(g);
      run.keys.push_back(key);
      run.rows[key] = row;
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace scalemark::test
