// SPDX-License-Identifier: Apache-2.0
// Which products are compared with which, and the printed table.
#include "common/analysis/product_share.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/formats/make_printer.hpp"
#include "common/print/joined.hpp"
#include "common/print/printer.hpp"

namespace scalemark::analysis {
namespace {

CaseResult product(const std::string& shape, std::int64_t rows, double teraflops,
                   const std::string& precision = "bf16") {
  CaseResult result;
  result.name = "micro/gemm";
  result.params = {{"precision", precision}, {"rows", rows}, {"shape", shape}};
  result.key = make_key(result.name, result.params);
  result.facts = {{"m", rows}, {"n", rows}, {"k", std::int64_t{4096}}};
  Metric rate;
  rate.name = "achieved_flops";
  rate.unit = std::string("flop/s");
  rate.samples.ranks = 1;
  rate.samples.iterations = 3;
  rate.samples.values = std::vector<double>(3, teraflops * 1e12);
  result.primary_metric = rate.name;
  result.metrics.push_back(rate);
  return result;
}

std::vector<ProductShares> shares_of(const std::vector<CaseResult>& results) {
  std::vector<ProductCase> cases;
  for (const CaseResult& one : results)
    if (const auto taken = product_case(one)) cases.push_back(*taken);
  return product_shares(cases);
}

TEST(ProductShare, TheFastestOfAPrecisionCounts) {
  const auto groups = shares_of({product("square", 1024, 300), product("best", 16384, 800),
                                 product("gate", 512, 200), product("square", 1024, 50, "fp32")});
  ASSERT_EQ(groups.size(), 1U) << "nobody looked for the fastest of fp32";
  EXPECT_EQ(groups[0].group, "micro/gemm precision=bf16");
  ASSERT_EQ(groups[0].products.size(), 3U);
  EXPECT_DOUBLE_EQ(groups[0].share(groups[0].products[0]), 0.375);
  EXPECT_DOUBLE_EQ(groups[0].share(groups[0].products[1]), 1);
  EXPECT_DOUBLE_EQ(groups[0].share(groups[0].products[2]), 0.25);
}

TEST(ProductShare, AProductMayBeFasterThanTheOneThatWasFound) {
  const auto groups = shares_of({product("best", 16384, 700), product("square", 1024, 800)});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_DOUBLE_EQ(groups[0].share(groups[0].products[0]), 0.875);
}

TEST(ProductShare, OtherCasesAreLeftOut) {
  EXPECT_TRUE(shares_of({product("best", 16384, 700)}).empty()) << "nothing beside it";
  CaseResult failed = product("square", 1024, 300), untold = failed, none = failed;
  failed.status = Status::failed;
  untold.facts.erase("k");
  none.metrics.clear();
  EXPECT_TRUE(shares_of({failed, untold, none, product("best", 16384, 700)}).empty());
}

TEST(ProductShare, IsPrintedBelowTheRowsAndInJson) {
  const std::vector<CaseResult> results{product("square", 1024, 300), product("best", 16384, 800)};
  std::ostringstream out;
  const auto printer = make_printer("table", out, {});
  printer->begin({});
  for (const CaseResult& one : results) printer->add(one);
  printer->end({});
  EXPECT_TRUE(out.str().ends_with(
      "\nProducts beside the fastest one found here:\n"
      "  micro/gemm precision=bf16\n"
      "  product                 m x n x k                      rate  of the fastest\n"
      "  rows=1024 shape=square  1024 x 1024 x 4096    300.0 TFLOP/s          37.5 %\n"
      "  rows=16384 shape=best   16384 x 16384 x 4096  800.0 TFLOP/s         100.0 %\n"))
      << out.str();
  print::Joined joined;
  for (const CaseResult& one : results) joined.add(one);
  EXPECT_DOUBLE_EQ(joined.fields().at(results[0].key).at("product_share").at("share"), 0.375);
  EXPECT_EQ(joined.fields().at(results[0].key).at("product_share").at("fastest"), results[1].key);
}

}  // namespace
}  // namespace scalemark::analysis
