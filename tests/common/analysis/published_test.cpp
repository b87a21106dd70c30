// SPDX-License-Identifier: Apache-2.0
// Published numbers: which lines are parsed, which cases match them, what is printed.
#include "common/analysis/published.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "common/base/text.hpp"

namespace scalemark::analysis {
namespace {

CaseResult training() {
  CaseResult result;
  result.name = "imaging/train";
  result.params = {{"ranks", std::int64_t{2}},         {"strategy", std::string("ddp_ds")},
                   {"precision", std::string("fp32")}, {"pin_memory", false},
                   {"epochs", std::int64_t{20}},       {"images", std::int64_t{60000}}};
  result.key = make_key(result.name, result.params);
  Metric total;
  total.name = "total_time";
  total.unit = "s";
  total.samples.ranks = total.samples.iterations = 1;
  total.samples.values = std::vector<std::uint64_t>{1'047'000'000'000};
  total.samples.scale = 1e-9;
  result.metrics.push_back(total);
  return result;
}

std::vector<PublishedBeside> beside(const std::vector<CaseResult>& cases,
                                    const std::vector<Published>& all) {
  std::vector<PublishedBeside> found;
  for (const CaseResult& one : cases) add_published(one, all, found);
  return found;
}

TEST(Published, TheBuiltInTableHasTheStudiesNumbers) {
  const auto& all = published_values();
  EXPECT_EQ(all.size(), 86U) << "rows with parameters, counted with awk";
  const auto found = published_for(training(), all);
  // Table 2 and Table 3 both have fp32 on two GPUs with pageable memory.
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].source, "Table 2");
  EXPECT_DOUBLE_EQ(found[0].value, 2094);
  EXPECT_DOUBLE_EQ(found[1].value, 2205);
}

TEST(Published, PercentagesAreRatiosAndOddRowsAreLeftOut) {
  const auto all = parse_published(
      "experiment,source,gpus,parameters,metric,value,unit\n"
      "imaging-x,T,1,epochs=20,accuracy,99.5,percent\n"
      "imaging-x,T,one,epochs=20,accuracy,99.5,percent\n"
      "imaging-x,T,1,some words,accuracy,99.5,percent\n"
      "imaging-x,T,1,epochs=20,accuracy,high,percent\n"
      "imaging-x,T,1,epochs=20\n");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_DOUBLE_EQ(all[0].value, 0.995);
  EXPECT_EQ(all[0].unit, "1");
}

TEST(Published, OnlyWhatRepeatsTheExperimentMatches) {
  const auto& all = published_values();
  for (const auto& [axis, other] :
       std::map<std::string, Value>{{"ranks", std::int64_t{8}},
                                    {"precision", std::string("bf16")},
                                    {"epochs", std::int64_t{1}},
                                    {"images", std::int64_t{1280}},
                                    {"strategy", std::string("ddp_full")}}) {
    CaseResult result = training();
    result.params[axis] = other;
    EXPECT_TRUE(published_for(result, all).empty()) << axis;
  }
  CaseResult failed = training();
  failed.status = Status::failed;
  EXPECT_TRUE(published_for(failed, all).empty());
}

TEST(Published, AWatchedTrainingIsComparedWithWatchedOnes) {
  const auto& all = published_values();
  CaseResult result = training();
  Metric copies = result.metrics[0];
  copies.name = "time_htod";
  result.metrics.push_back(copies);
  EXPECT_EQ(published_for(result, all).size(), 2U) << "total_time alone";
  result.params["profile"] = true;
  const auto found = published_for(result, all);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].experiment, "imaging-precision-profile");
  EXPECT_EQ(found[0].metric, "time_htod");
  EXPECT_DOUBLE_EQ(found[0].value, 104);
}

TEST(Published, AFineTuningOfRealRowsIsCompared) {
  CaseResult result = training();
  result.name = "llm/finetune";
  result.params = {{"ranks", std::int64_t{2}},        {"method", std::string("lora")},
                   {"model", std::string("8b")},      {"dataset", std::string("alpaca")},
                   {"source", std::string("file")},   {"precision", std::string("fp32")},
                   {"batch", std::int64_t{2}},        {"pin_memory", false},
                   {"epochs", std::int64_t{1}},       {"rows", std::int64_t{500}},
                   {"parallel", std::string("fsdp")}, {"steps", std::int64_t{0}}};
  Metric iteration = result.metrics[0];
  iteration.name = "mean_iteration_time";
  result.metrics.push_back(iteration);
  auto found = published_for(result, published_values());
  ASSERT_EQ(found.size(), 1U) << "the total is of all rows";
  EXPECT_EQ(found[0].source, "Table 5");
  EXPECT_DOUBLE_EQ(found[0].value, 0.93);
  result.params["rows"] = std::int64_t{0};
  found = published_for(result, published_values());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_DOUBLE_EQ(found[0].value + found[1].value, 0.93 + 12030);
  result.params["source"] = std::string("synthetic");
  EXPECT_TRUE(published_for(result, published_values()).empty());
}

/// Section 4.3.1: loading the data set takes 35 s; the number of GPUs is not stated.
TEST(Published, ScenarioBIsTheSetInFiles) {
  const auto& all = published_values();
  CaseResult result = training();
  result.params["scenario"] = std::string("b");
  result.params["image"] = std::int64_t{300};
  EXPECT_TRUE(published_for(result, all).empty()) << "Tables 2 and 3 are of scenario a";
  Metric load = result.metrics[0];
  load.name = "disk_load_time";
  result.metrics.push_back(load);
  for (const std::int64_t ranks : {1, 4}) {
    result.params["ranks"] = ranks;
    const auto found = published_for(result, all);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].source, "section 4.3.1");
    EXPECT_DOUBLE_EQ(found[0].value, 35);
  }
  std::ostringstream out;
  print_published(beside({result}, all), out);
  EXPECT_NE(out.str().find("published 35 s, here 1047 s"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("number of GPUs not stated"), std::string::npos) << out.str();
  for (const auto& [axis, other] : std::map<std::string, Value>{{"storage", std::string("shared")},
                                                                {"image", std::int64_t{100}},
                                                                {"images", std::int64_t{96}}}) {
    CaseResult changed = result;
    changed.params[axis] = other;
    EXPECT_TRUE(published_for(changed, all).empty()) << axis;
  }
}

TEST(Published, PrintsPublishedHereAndRatio) {
  CaseResult result = training();
  std::ostringstream out;
  print_published(beside({result}, published_values()), out);
  EXPECT_NE(out.str().find("published 2094 s, here 1047 s, ratio 0.5"), std::string::npos)
      << out.str();
  result.params["epochs"] = std::int64_t{1};
  std::ostringstream none;
  print_published(beside({result}, published_values()), none);
  EXPECT_EQ(none.str(), "");
}

TEST(Published, OfSeveralRunsPrintsTheMedianOfTheirMedians) {
  std::vector<CaseResult> runs(3, training());
  // 1047 s, twice that, and ten times that.
  runs[1].metrics[0].samples.scale *= 2;
  runs[2].metrics[0].samples.scale *= 10;
  std::ostringstream out;
  print_published(beside(runs, published_values()), out);
  EXPECT_NE(out.str().find("published 2094 s, here 2094 s, ratio 1 "), std::string::npos)
      << out.str();
  EXPECT_EQ(out.str().find("here 1047 s"), std::string::npos) << "once, not for each run";
}

}  // namespace
}  // namespace scalemark::analysis
