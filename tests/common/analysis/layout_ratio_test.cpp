// SPDX-License-Identifier: Apache-2.0
// Which cases are paired by layout, and the printed table.
#include "common/analysis/layout_ratio.hpp"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/formats/make_printer.hpp"
#include "common/print/joined.hpp"
#include "common/print/printer.hpp"

namespace scalemark::analysis {
namespace {

CaseResult convolution(const std::string& layer, const std::string& layout, std::uint64_t us,
                       std::int64_t occurrences = 1, const std::string& pass = "forward") {
  CaseResult result;
  result.name = "micro/conv2d";
  result.params = {{"layer", layer}, {"layout", layout}, {"pass", pass}};
  result.key = make_key(result.name, result.params);
  result.facts["occurrences"] = occurrences;
  Metric time;
  time.name = "time";
  time.unit = std::string("s");  // GCC 12 gives a false warning for the plain assignment
  time.samples.ranks = 1;
  time.samples.iterations = 40;
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 40; ++i) values.push_back(us * (i % 2 == 0 ? 90 : 110));
  values[0] = us * 100;
  values[1] = us * 100;
  time.samples.values = values;
  time.samples.scale = 1e-8;
  result.primary_metric = time.name;
  result.metrics.push_back(time);
  return result;
}

std::vector<LayoutRatios> ratios_of(const std::vector<CaseResult>& results) {
  std::vector<LayoutCase> cases;
  for (const CaseResult& one : results) {
    if (const auto taken = layout_case(one)) cases.push_back(*taken);
  }
  return layout_ratios(cases);
}

std::vector<CaseResult> two_layers() {
  return {convolution("stem", "nchw", 100), convolution("stem", "nhwc", 50),
          convolution("expand8", "nhwc", 30, 4), convolution("expand8", "nchw", 20, 4)};
}

TEST(LayoutRatio, EachLayerCountsAsOftenAsItOccurs) {
  const auto networks = ratios_of(two_layers());
  ASSERT_EQ(networks.size(), 1U);
  const LayoutRatios& all = networks[0];
  EXPECT_EQ(all.network, "micro/conv2d pass=forward");
  ASSERT_EQ(all.layers.size(), 2U);
  EXPECT_EQ(all.layers[0].nchw.layer, "stem");
  EXPECT_DOUBLE_EQ(all.layers[0].ratio(), 0.5);
  EXPECT_DOUBLE_EQ(all.layers[1].ratio(), 1.5);
  EXPECT_EQ(all.occurrences, 5);
  EXPECT_DOUBLE_EQ(all.nchw_seconds, (100 + 4 * 20) * 1e-6);
  EXPECT_DOUBLE_EQ(all.nhwc_seconds, (50 + 4 * 30) * 1e-6);
  EXPECT_DOUBLE_EQ(all.ratio(), 170.0 / 180);
}

TEST(LayoutRatio, TheIntervalIsThatOfBothMedians) {
  const LayerRatio layer = ratios_of(two_layers())[0].layers[0];
  EXPECT_DOUBLE_EQ(layer.nchw.low, 90e-6);
  EXPECT_DOUBLE_EQ(layer.nchw.high, 110e-6);
  EXPECT_DOUBLE_EQ(layer.low(), 45.0 / 110);
  EXPECT_DOUBLE_EQ(layer.high(), 55.0 / 90);
}

TEST(LayoutRatio, OnlyWhatDiffersInTheLayoutAloneIsAPair) {
  auto results = two_layers();
  results.push_back(convolution("stem", "nhwc", 70, 1, "train"));
  results.push_back(convolution("head", "nchw", 10));
  results.push_back(convolution("stem", "nchw", 999));  // a repeated case
  const auto networks = ratios_of(results);
  ASSERT_EQ(networks.size(), 1U);
  EXPECT_EQ(networks[0].occurrences, 5);
  EXPECT_DOUBLE_EQ(networks[0].layers[0].ratio(), 0.5);
  results.push_back(convolution("stem", "nchw", 70, 1, "train"));
  ASSERT_EQ(ratios_of(results).size(), 2U);
  EXPECT_EQ(ratios_of(results)[1].network, "micro/conv2d pass=train");
}

TEST(LayoutRatio, CasesWithoutWhatIsNeededAreLeftOut) {
  EXPECT_TRUE(layout_case(two_layers()[0]));
  const auto changed = [](auto change) {
    CaseResult one = two_layers()[0];
    change(one);
    return layout_case(one);
  };
  EXPECT_FALSE(changed([](CaseResult& one) { one.status = Status::skipped; }));
  EXPECT_FALSE(changed([](CaseResult& one) { one.facts.clear(); }));
  EXPECT_FALSE(changed([](CaseResult& one) { one.facts["occurrences"] = std::int64_t{0}; }));
  EXPECT_FALSE(changed([](CaseResult& one) { one.facts["occurrences"] = std::int64_t{1} << 62; }));
  EXPECT_FALSE(changed([](CaseResult& one) { one.facts["occurrences"] = std::string("4"); }));
  EXPECT_FALSE(changed([](CaseResult& one) { one.params["layout"] = std::string("chwn"); }));
  EXPECT_FALSE(changed([](CaseResult& one) { one.params.erase("layer"); }));
  EXPECT_FALSE(changed([](CaseResult& one) { one.metrics.clear(); }));
  EXPECT_FALSE(changed(
      [](CaseResult& one) { one.metrics[0].samples.values = std::vector<std::uint64_t>(40, 0); }));
}

TEST(LayoutRatio, TheTableStandsBelowTheRowsOfRunAndShow) {
  const auto printed = [](const std::vector<CaseResult>& results, PrintOptions options) {
    std::ostringstream out;
    const auto printer = make_printer("table", out, options);
    scalemark::Run run;
    printer->begin(run);
    for (const CaseResult& one : results) printer->add(one);
    printer->end(run);
    return out.str();
  };
  EXPECT_TRUE(
      printed(two_layers(), {})
          .ends_with("\nLayers in both layouts; all: each weighted by how often it occurs:\n"
                     "  micro/conv2d pass=forward\n"
                     "  layer    times       nchw       nhwc  nhwc/nchw          interval\n"
                     "  stem         1   100.0 us   50.00 us      0.500    [0.409, 0.611]\n"
                     "  expand8      4   20.00 us   30.00 us      1.500    [1.227, 1.833]\n"
                     "  all          5   180.0 us   170.0 us      0.944\n"))
      << printed(two_layers(), {});
  EXPECT_EQ(printed({two_layers()[0]}, {}).find("both layouts"), std::string::npos);
  EXPECT_EQ(printed(two_layers(), {.quiet = true}).find("both layouts"), std::string::npos);
}

TEST(LayoutRatio, JsonHasItWithBothCases) {
  print::Joined joined;
  for (const CaseResult& one : two_layers()) joined.add(one);
  const auto fields = joined.fields();
  ASSERT_EQ(fields.size(), 4U);
  for (const char* layout : {"nchw", "nhwc"}) {
    const auto& field = fields.at(convolution("expand8", layout, 1, 4).key).at("layout_ratio");
    EXPECT_DOUBLE_EQ(field.at("nhwc_by_nchw"), 1.5);
    EXPECT_EQ(field.at("occurrences"), 4);
    EXPECT_EQ(field.at("network_occurrences"), 5);
    EXPECT_DOUBLE_EQ(field.at("network_nhwc_by_nchw"), 170.0 / 180);
    EXPECT_EQ(field.at("network"), "micro/conv2d pass=forward");
  }
}

}  // namespace
}  // namespace scalemark::analysis
