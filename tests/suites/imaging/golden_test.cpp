// SPDX-License-Identifier: Apache-2.0
// Golden topic "imaging": all of torchvision's values, and that the check notices what is wrong.
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/golden/report.hpp"

namespace scalemark {
namespace {

nlohmann::json golden_file() {
  std::ifstream stream(std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden/imaging.json");
  return nlohmann::json::parse(stream);
}

golden::Report check(const nlohmann::json& file, const golden::Options& options = {}) {
  golden::Report report("imaging.json");
  golden::topics().at("imaging")(file, options, report);
  return report;
}

struct Counts {
  int pass = 0, fail = 0, skipped = 0;
};

Counts count(const golden::Report& report) {
  Counts counts;
  for (const golden::Item& item : report.items()) {
    if (item.outcome == golden::Outcome::pass) ++counts.pass;
    if (item.outcome == golden::Outcome::skipped) ++counts.skipped;
    if (item.outcome == golden::Outcome::fail) ++counts.fail;
  }
  return counts;
}

bool has(const golden::Report& report, const std::string& item, golden::Outcome outcome) {
  for (const golden::Item& each : report.items()) {
    if (each.item.rfind(item, 0) == 0 && each.outcome == outcome) return true;
  }
  return false;
}

/// The parts that take no training, so that a changed value is seen in a second.
nlohmann::json small_file() {
  nlohmann::json file = golden_file();
  file.erase("cases");
  file.erase("data_parallel");
  return file;
}

TEST(ImagingGolden, EverythingAgrees) {
  const golden::Report report = check(golden_file());
  for (const golden::Item& item : report.items()) {
    EXPECT_NE(item.outcome, golden::Outcome::fail)
        << item.item << ": " << item.reason << " (error " << item.error << ", tolerance "
        << item.tolerance << ")";
    if (item.outcome == golden::Outcome::skipped) {
      EXPECT_NE(item.reason.find("chaotic"), std::string::npos) << item.item << ": " << item.reason;
    }
  }
  EXPECT_GE(count(report).pass, 1300);
}

TEST(ImagingGolden, OnePrecisionAloneIsSkippedFieldByField) {
  const golden::Report report =
      check(small_file(), {.device = "cpu", .precisions = {"fp32"}, .tokenizer = {}});
  EXPECT_EQ(count(report).fail, 0);
  EXPECT_TRUE(has(report, "upsample[0].scaled_fp64", golden::Outcome::skipped));
  EXPECT_TRUE(has(report, "upsample[0].scaled_fp32", golden::Outcome::pass));
}

TEST(ImagingGolden, AnUnknownFieldIsReported) {
  nlohmann::json file = small_file();
  file["model"]["flavour"] = 3;
  file["novelty"] = {{"a", 1}};
  const golden::Report report = check(file);
  EXPECT_EQ(count(report).fail, 0);
  EXPECT_TRUE(has(report, "model.flavour", golden::Outcome::skipped));
  EXPECT_TRUE(has(report, "novelty", golden::Outcome::skipped));
}

TEST(ImagingGolden, AChangedValueFails) {
  const nlohmann::json right = small_file();
  const auto fails = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json file = right;
    file.at(nlohmann::json::json_pointer(pointer)) = value;
    return count(check(file)).fail;
  };
  EXPECT_EQ(fails("/model/parameter_count", 2236683), 1);
  EXPECT_EQ(fails("/model/parameters/0/0", "features.0.0.bias"), 1);
  EXPECT_EQ(fails("/model/buffers/1/1", {33}), 1);
  EXPECT_EQ(fails("/distributed_sampler/1/indices/0/0", 9), 1);
  EXPECT_EQ(fails("/upsample/0/first_pixels/0", 182), 1);
  EXPECT_EQ(fails("/upsample/0/upsampled_fp64/weighted_sum", -26.9259257), 1);
  EXPECT_GT(fails("/seed", 2), 5) << "other parameters and pixels";
  EXPECT_GT(fails("/gain", 3.0), 5);
}

TEST(ImagingGolden, AHostileFileGivesAnErrorThatNamesTheField) {
  const auto error = [](const char* pointer, const nlohmann::json& value) -> std::string {
    nlohmann::json file = golden_file();
    file["cases"].erase("batch4_size100");  // nothing long before what is wrong
    if (std::string(pointer).rfind("/cases", 0) != 0) file.erase("cases");
    file.erase("data_parallel");
    file.at(nlohmann::json::json_pointer(pointer)) = value;
    try {
      check(file);
      return "no error";
    } catch (const InputError& thrown) {
      return thrown.what();
    }
  };
  EXPECT_NE(error("/classes", 0).find("classes"), std::string::npos);
  EXPECT_NE(error("/seed", "one").find("'seed'"), std::string::npos);
  EXPECT_NE(
      error("/cases/batch4_size64/images/shape", {1 << 20, 3, 1 << 10, 1 << 10}).find("elements"),
      std::string::npos);
  EXPECT_NE(error("/cases/batch4_size64/images/shape", {4, 1, 64, 64}).find("no batch"),
            std::string::npos);
  EXPECT_NE(error("/cases/batch4_size64/images/rule", "noise").find("'noise'"), std::string::npos);
  EXPECT_NE(error("/cases/batch4_size64/labels/rule", "word mod 0").find("'word mod 0'"),
            std::string::npos);
  EXPECT_NE(error("/upsample/0/size", 1 << 30).find("upsample[0]"), std::string::npos);
  EXPECT_NE(error("/distributed_sampler/0/ranks", 0).find("distributed_sampler[0]"),
            std::string::npos);
}

}  // namespace
}  // namespace scalemark
