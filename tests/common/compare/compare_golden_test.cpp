// SPDX-License-Identifier: Apache-2.0
// Comparisons of the golden tables: p and q as computed by limma, and the resulting verdicts.
#include <algorithm>
#include <map>

#include "common/compare/compare.hpp"
#include "tests/common/stats/golden_values.hpp"

namespace scalemark::compare {
namespace {

/// Runs with the golden logarithms of nanoseconds; names of rows are their numbers.
std::vector<RunDigest> side(const nlohmann::json& table, std::size_t first, std::size_t count,
                            const char* name) {
  std::vector<RunDigest> runs;
  for (std::size_t r = first; r < first + count; ++r) {
    RunDigest run;
    run.uuid = name + std::to_string(r);
    std::size_t g = 0;
    for (const auto& line : table.at("x")) {
      const std::string key = std::to_string(g++);
      if (line.at(r).is_null()) continue;
      RowDigest row;
      row.metric = std::string("latency");
      row.unit = std::string("s");
      row.better = Better::lower;
      row.value = std::exp(line.at(r).get<double>()) * 1e-9;
      run.keys.push_back(key);
      run.rows[key] = row;
    }
    runs.push_back(run);
  }
  return runs;
}

/// The verdict that the golden p-values imply with one family of two-sided tests.
Verdict expected_verdict(const nlohmann::json& expected, std::size_t g) {
  const double q = test::number(expected.at("treat_p_bh").at(g));
  if (q <= 0.05)
    return test::number(expected.at("d").at(g)) > 0 ? Verdict::regression : Verdict::improved;
  return test::number(expected.at("p_same").at(g)) <= 0.05 ? Verdict::same : Verdict::inconclusive;
}

void expect_table(const nlohmann::json& table) {
  const std::string name = table.at("name");
  const std::size_t runs_a = table.at("runs_a"), runs_b = table.at("runs_b");
  CompareOptions options;
  options.threshold = table.at("theta");
  const Comparison result =
      compare(side(table, 0, runs_a, "a"), side(table, runs_a, runs_b, "b"), options);
  ASSERT_EQ(result.rows.size(), table.at("x").size()) << name;
  const nlohmann::json& expected = table.at("expected");
  for (const CompareRow& row : result.rows) {
    const std::size_t g = std::stoul(row.key);
    const std::string what = name + " row " + row.key;
    test::expect_close(std::log1p(row.change), test::number(expected.at("d").at(g)), 0, 1e-12,
                       what);
    test::expect_close(row.p, test::number(expected.at("treat_p").at(g)), 1e-7, 1e-300, what);
    test::expect_close(row.q, test::number(expected.at("treat_p_bh").at(g)), 1e-7, 1e-300, what);
    EXPECT_EQ(row.verdict, expected_verdict(expected, g)) << what;
  }
}

TEST(CompareGolden, MeetsLimmaFromEndToEnd) {
  std::map<std::string, int> seen;
  for (const char* file : {"moderated.json", "moderated_large.json"}) {
    const nlohmann::json golden = test::golden(file);
    for (const auto& table : golden.at("cases")) {
      ASSERT_LE(test::number(table.at("d0")), 20) << "the cap would bite";
      expect_table(table);
      ++seen[file];
    }
  }
  EXPECT_EQ(seen["moderated.json"], 5);
  EXPECT_EQ(seen["moderated_large.json"], 2);
}

}  // namespace
}  // namespace scalemark::compare
