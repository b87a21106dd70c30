// SPDX-License-Identifier: Apache-2.0
// Published numbers: which lines are parsed, which cases repeat them, what is printed.
#include "common/study/published.hpp"

#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "common/study/table.hpp"
#include "tests/common/study/training.hpp"

namespace scalemark::study {
namespace {

std::vector<PublishedBeside> beside(const std::vector<CaseResult>& cases) {
  std::vector<PublishedBeside> found;
  for (const CaseResult& one : cases) add_published(one, published_values(), found);
  return found;
}

std::vector<double> values_for(const CaseResult& result) {
  std::vector<double> values;
  for (const PublishedBeside& one : published_for(result, published_values()))
    values.push_back(one.published.low);
  return values;
}

TEST(Published, TheBuiltInTableHasTheStudiesNumbers) {
  EXPECT_EQ(published_values().size(), 103U) << "lines of the file without its header";
  // Table 2 and Table 3 both have fp32 on two GPUs with pageable memory.
  EXPECT_EQ(values_for(training()), (std::vector<double>{2094, 2205}));
}

TEST(Published, RangesPercentagesAndUnitsAreRead) {
  const auto all = parse_published(
      "experiment,source,gpus,parameters,metric,value,unit\n"
      "imaging-x,T,1,epochs=20,accuracy,99.5,percent\n"
      "imaging-x,T,2 and 4,epochs=20,time,85-101,s\n"
      "imaging-x,T,,epochs=20,size,over 4,MB\n"
      "imaging-x,T,one,epochs=20,accuracy,99.5,percent\n"
      "imaging-x,T,1,some words,accuracy,99.5,percent\n"
      "imaging-x,T,1,epochs=20,accuracy,high,percent\n"
      "imaging-x,T,1,epochs=20,accuracy,1-,percent\n"
      "imaging-x,T,1,epochs=20\n");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_DOUBLE_EQ(all[0].low, 0.995);
  EXPECT_EQ(all[0].unit, "1");
  EXPECT_EQ(all[1].gpus, (std::vector<std::string>{"2", "4"}));
  EXPECT_EQ(text_of(all[1]), "85 to 101 s");
  EXPECT_DOUBLE_EQ(ratio(90, all[1]), 1);
  EXPECT_DOUBLE_EQ(ratio(202, all[1]), 2);
  EXPECT_DOUBLE_EQ(ratio(42.5, all[1]), 0.5);
  EXPECT_EQ(text_of(all[2]), "over 4e+06 By");
  EXPECT_DOUBLE_EQ(ratio(8e6, all[2]), 2);
}

TEST(Published, EachSettingTakesPartInTheMatch) {
  for (const auto& [axis, other] :
       std::map<std::string, Value>{{"ranks", std::int64_t{8}},
                                    {"precision", std::string("bf16")},
                                    {"epochs", std::int64_t{1}},
                                    {"images", std::int64_t{1280}},
                                    {"test_images", std::int64_t{16}},
                                    {"image", std::int64_t{100}},
                                    {"layout", std::string("nhwc")},
                                    {"loader", std::string("dali")},
                                    {"mode", std::string("tuned")},
                                    {"scenario", std::string("b")},
                                    {"dataset", std::string("synthetic")},
                                    {"device", std::string("cpu")},
                                    {"graphs", true},
                                    {"profile", true},
                                    {"storage", std::string("shared")},
                                    {"strategy", std::string("ddp_full")}}) {
    CaseResult result = training();
    result.params[axis] = other;
    EXPECT_TRUE(values_for(result).empty()) << axis;
  }
  CaseResult failed = training();
  failed.status = Status::failed;
  EXPECT_TRUE(values_for(failed).empty());
  CaseResult wrong = training();
  wrong.verification.wrong = 1;
  EXPECT_TRUE(values_for(wrong).empty());
  CaseResult other_batch = training();
  other_batch.params["batch"] = std::int64_t{64};
  EXPECT_EQ(values_for(other_batch).size(), 2U) << "the study does not tell the batch";
}

TEST(Published, TimesOfAProfileAreSumsOverGpus) {
  CaseResult result = training();
  add_metric(result, "time_htod", "s", 40, 60);
  result.params["profile"] = true;
  const auto found = published_for(result, published_values());
  ASSERT_EQ(found.size(), 2U) << "text after Table 2, and text on Figure 4";
  EXPECT_DOUBLE_EQ(found[0].published.low, 104);
  EXPECT_DOUBLE_EQ(found[0].here.front(), 100);
  EXPECT_EQ(text_of(found[1].published), "85 to 101 s");
  EXPECT_DOUBLE_EQ(ratio(found[1].here.front(), found[1].published), 1);
  result.params["image"] = std::int64_t{100};
  EXPECT_EQ(values_for(result), std::vector<double>{3.1});
}

TEST(Published, AFineTuningOfAllRowsIsCompared) {
  EXPECT_EQ(values_for(fine_tuning()), (std::vector<double>{0.93, 12030}));
  for (const auto& [axis, other] :
       std::map<std::string, Value>{{"rows", std::int64_t{500}},
                                    {"steps", std::int64_t{10}},
                                    {"packed", true},
                                    {"source", std::string("synthetic")},
                                    {"parallel", std::string("ddp")},
                                    {"mode", std::string("tuned")},
                                    {"model", std::string("tiny")},
                                    {"checkpointing", true},
                                    {"sequence", std::int64_t{512}},
                                    {"precision", std::string("bf16")}}) {
    CaseResult result = fine_tuning();
    result.params[axis] = other;
    EXPECT_TRUE(values_for(result).empty()) << axis;
  }
}

/// Each published number stands in a table that has no measured rows yet, but those of this list.
TEST(Published, EachNumberHasItsCell) {
  const std::map<std::string, std::string> never = {
      {"imaging-pin-profile time_nccl", "the study does not tell the image size"},
      {"llm-datasets download", "size of a download whose format the study does not tell"},
      {"llm-datasets rows_read grammar", "185 million rows are more than is read here"},
      {"llm-templates extract", "size of a file whose format the study does not tell"}};
  std::set<std::string> shown, unused;
  const auto name_of = [](const Published& one) {
    std::string name = one.experiment + " " + one.source + " " + one.metric;
    for (const std::string& gpus : one.gpus) name += " " + gpus;
    for (const auto& [axis, value] : one.parameters) name += " " + axis + "=" + value;
    return name;
  };
  for (const Experiment& experiment : experiments()) {
    for (const StudyRow& row : make_table(experiment, {}, published_values()).rows) {
      for (const StudyCell& cell : row.cells) {
        if (cell.published) shown.insert(name_of(*cell.published));
      }
    }
  }
  for (const auto& [name, reason] : never) unused.insert(name);
  for (const Published& one : published_values()) {
    std::string why = one.experiment + " " + one.metric;
    if (one.metric == "rows_read" && one.parameters.at("dataset") == "grammar") why += " grammar";
    unused.erase(why);
    EXPECT_NE(shown.contains(name_of(one)), never.contains(why)) << name_of(one);
  }
  EXPECT_TRUE(unused.empty()) << *unused.begin();
}

TEST(Published, PrintsPublishedHereAndRatio) {
  CaseResult result = training();
  std::ostringstream out;
  print_published(beside({result}), out);
  EXPECT_NE(out.str().find("published 2094 s, here 1047 s, ratio 0.5"), std::string::npos)
      << out.str();
  result.params["epochs"] = std::int64_t{1};
  std::ostringstream none;
  print_published(beside({result}), none);
  EXPECT_EQ(none.str(), "");
}

TEST(Published, OfSeveralRunsPrintsTheMedianOfTheirMedians) {
  std::ostringstream out;
  print_published(beside({training(1047), training(2094), training(10470)}), out);
  EXPECT_NE(out.str().find("published 2094 s, here 2094 s, ratio 1 "), std::string::npos)
      << out.str();
  EXPECT_EQ(out.str().find("here 1047 s"), std::string::npos) << "once, not for each run";
}

}  // namespace
}  // namespace scalemark::study
