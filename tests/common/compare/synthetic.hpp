// SPDX-License-Identifier: Apache-2.0
// Synthetic results and runs for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"
#include "common/result/model.hpp"

namespace scalemark::test {

inline Metric duration(const std::string& name, std::vector<std::uint64_t> nanoseconds) {
  Metric metric;
  metric.name = name;
  metric.unit = "s";
  metric.samples.ranks = 1;
  metric.samples.iterations = nanoseconds.size();
  metric.samples.values = std::move(nanoseconds);
  metric.samples.scale = 1e-9;
  return metric;
}

inline Metric rate(const std::string& name, const std::string& source, double numerator) {
  Metric metric;
  metric.name = name;
  metric.unit = "By/s";
  metric.kind = MetricKind::rate;
  metric.better = Better::higher;
  metric.source = source;
  metric.numerator = numerator;
  return metric;
}

/// A case with latencies in nanoseconds and the bandwidth of `bytes` bytes.
inline CaseResult measured(const std::string& name, std::int64_t bytes,
                           std::vector<std::uint64_t> nanoseconds) {
  CaseResult result;
  result.name = name;
  result.params = {{"bytes", bytes}, {"ranks", std::int64_t{2}}};
  result.key = make_key(name, result.params);
  result.primary_metric = "latency";
  result.metrics = {duration("latency", std::move(nanoseconds)),
                    rate("bandwidth", "latency", static_cast<double>(bytes))};
  result.verification = {true, 100, 0, "every byte"};
  return result;
}

inline CaseResult unmeasured(const std::string& name, std::int64_t bytes, Status status,
                             const std::string& reason) {
  CaseResult result = measured(name, bytes, {});
  result.metrics.clear();
  result.verification = {};
  result.status = status;
  result.reason = reason;
  return result;
}

inline scalemark::Run run_of(const std::string& uuid, std::vector<CaseResult> cases) {
  scalemark::Run run;
  run.uuid = uuid;
  run.created = std::string("2026-01-31T12:00:00.000Z");
  run.complete = true;
  run.producer["version"] = "0.1.0";
  run.ranks = {RankInfo{0, "node1", 0, "0", 0, "", "", ""},
               RankInfo{1, "node1", 1, "1", 0, "", "", ""}};
  for (const CaseResult& one : cases) run.planned.push_back(one.key);
  run.cases = std::move(cases);
  return run;
}

inline compare::RunDigest digest_of(const std::string& uuid, std::vector<CaseResult> cases) {
  return compare::digest(run_of(uuid, std::move(cases)), uuid + ".h5");
}

/// Rows of one run: row g takes about 10 us * 1.1^g, with a run effect of `spread` (standard
/// deviation of the logarithm) drawn for each row, and `factor(g)` on top.
template <class Factor>
compare::RunDigest noisy_run(const std::string& uuid, std::size_t rows, double spread,
                             std::mt19937_64& random, Factor factor) {
  std::normal_distribution<double> normal;
  std::vector<CaseResult> cases;
  for (std::size_t g = 0; g < rows; ++g) {
    const double time =
        1e4 * std::pow(1.1, static_cast<double>(g)) * std::exp(spread * normal(random)) * factor(g);
    cases.push_back(measured("micro/allreduce", static_cast<std::int64_t>(g + 1),
                             {static_cast<std::uint64_t>(std::llround(time))}));
  }
  return digest_of(uuid, std::move(cases));
}

inline std::vector<compare::RunDigest> noisy_side(const std::string& name, std::size_t runs,
                                                  std::size_t rows, double spread,
                                                  std::mt19937_64& random, double factor = 1,
                                                  std::size_t changed_rows = 0) {
  std::vector<compare::RunDigest> side;
  for (std::size_t r = 0; r < runs; ++r) {
    side.push_back(noisy_run(name + std::to_string(r), rows, spread, random,
                             [&](std::size_t g) { return g < changed_rows ? factor : 1.0; }));
  }
  return side;
}

}  // namespace scalemark::test
