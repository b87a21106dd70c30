// SPDX-License-Identifier: Apache-2.0
// Golden topic "tokens": all of torchtune's and tiktoken's values, and that the check notices what
// is wrong. Llama 3's own tokenizer is not part of the project: its cases run where
// SCALEMARK_TOKENIZER names the file (jobscripts/setup.sh --tokenizer).
#include <cstdlib>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/golden/report.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Pointer = nlohmann::json::json_pointer;

const std::string kFolder = std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden";

nlohmann::json golden_file() {
  std::ifstream stream(kFolder + "/tokens.json");
  return nlohmann::json::parse(stream);
}

std::string real_tokenizer() {
  const char* path = std::getenv("SCALEMARK_TOKENIZER");
  return path == nullptr ? "" : path;
}

golden::Report check(const nlohmann::json& file, const std::string& tokenizer = {},
                     const std::string& folder = kFolder) {
  golden::Options options;
  options.tokenizer = tokenizer;
  options.folder = folder;
  golden::Report report("tokens.json");
  golden::topics().at("tokens")(file, options, report);
  return report;
}

std::size_t count(const golden::Report& report, golden::Outcome outcome,
                  const std::string& item = {}) {
  std::size_t number = 0;
  for (const golden::Item& each : report.items()) {
    if (each.outcome == outcome && each.item.starts_with(item)) ++number;
  }
  return number;
}

void expect_none_failed(const golden::Report& report) {
  for (const golden::Item& item : report.items())
    EXPECT_NE(item.outcome, golden::Outcome::fail) << item.item << ": " << item.reason;
}

constexpr const char* kHow = "SCALEMARK_TOKENIZER is not set: jobscripts/setup.sh --tokenizer";

TEST(TokensGolden, TheSmallVocabularyNeedsNoFile) {
  const golden::Report report = check(golden_file());
  expect_none_failed(report);
  EXPECT_GE(count(report, golden::Outcome::pass), 130U);
  EXPECT_EQ(count(report, golden::Outcome::pass, "alpaca_small_tokenizer.rows"), 12U);
  std::size_t skipped = 0;
  for (const golden::Item& item : report.items()) {
    if (item.outcome != golden::Outcome::skipped) continue;
    ++skipped;
    EXPECT_THAT(item.reason, HasSubstr("--tokenizer")) << item.item;
  }
  EXPECT_EQ(skipped, 11U) << "one for each part that needs it";
}

TEST(TokensGolden, EverythingAgreesWithLlamasTokenizer) {
  if (real_tokenizer().empty()) GTEST_SKIP() << kHow;
  const golden::Report report = check(golden_file(), real_tokenizer());
  expect_none_failed(report);
  EXPECT_EQ(count(report, golden::Outcome::skipped), 0U);
  EXPECT_GE(count(report, golden::Outcome::pass), 450U);
}

TEST(TokensGolden, AChangedValueOfTheSmallVocabularyFails) {
  const nlohmann::json right = golden_file();
  const auto fails = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json file = right;
    file.at(Pointer(pointer)) = value;
    return count(check(file), golden::Outcome::fail);
  };
  EXPECT_EQ(fails("/strings/3/ids_small/0", 73), 1U);
  EXPECT_EQ(fails("/strings/3/ids_small", {72, 381}), 1U);
  EXPECT_EQ(fails("/strings/3/utf8_bytes", 12), 1U);
  EXPECT_EQ(fails("/strings/3/text", "Hello, World!"), 1U);
  EXPECT_EQ(fails("/alpaca_small_tokenizer/rows/1/ids/5", 7), 1U);
  EXPECT_EQ(fails("/alpaca_small_tokenizer/rows/1/masked_runs/1/1", 178), 1U);
  EXPECT_EQ(fails("/alpaca_small_tokenizer/rows/1/tokens", 178), 1U);
  EXPECT_EQ(fails("/alpaca_small_tokenizer/rows/1/labels", 178), 1U);
  EXPECT_EQ(fails("/alpaca_small_tokenizer/train_on_input", false), 6U)
      << "mask and labels of each";
  EXPECT_EQ(fails("/small_tokenizer_file/merges", 2001), 1U);
  EXPECT_EQ(fails("/special_tokens/<|eot_id|>", 128'077), 4U) << "the table, and each row's ids";
}

TEST(TokensGolden, AChangedValueOfLlamasTokenizerFails) {
  if (real_tokenizer().empty()) GTEST_SKIP() << kHow;
  const nlohmann::json right = golden_file();
  const auto fails = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json file = right;
    file.at(Pointer(pointer)) = value;
    return count(check(file, real_tokenizer()), golden::Outcome::fail);
  };
  EXPECT_EQ(fails("/long_runs/1/count", 50'008), 4U) << "three sums and the last id";
  EXPECT_EQ(fails("/strings/55/ids_with_special_tokens", {1}), 1U);
  EXPECT_EQ(fails("/alpaca_truncated/rows/0/max_seq_len", 41), 4U);
  EXPECT_EQ(fails("/chat/rows/1/conversations/3/1", "12"), 4U);
  EXPECT_EQ(fails("/preference/rows/0/row", 3), 8U) << "ids, runs and two counts of both";
  EXPECT_EQ(fails("/padded_batch/rows/1", 4), 3U);
  EXPECT_EQ(fails("/padded_batch/padding_id", 128'001), 1U);
  EXPECT_EQ(fails("/packing/0/packs/1/0", 83), 1U);
  EXPECT_GE(fails("/packing/1/split_across_pack", false), 9U)
      << "seven packs, their number and use";
  EXPECT_EQ(fails("/packing/0/first_pack_positions_digest/sum", 20'350.0), 1U);
}

TEST(TokensGolden, AnotherFileOfTheFormatIsChecked) {
  nlohmann::json file = golden_file();
  file["strings"] = {{{"text", "Hello"}, {"ids_small", {72, 381, 111}}}};
  for (const char* part : {"long_runs", "alpaca", "alpaca_truncated", "alpaca_masked_prompt",
                           "grammar", "summarize", "chat", "preference", "padded_batch", "packing"})
    file.erase(part);
  file["grammar_small_tokenizer"] = {
      {"train_on_input", false},
      {"rows", {{{"input", "a"}, {"output", "b"}, {"ids", {1}}, {"masked_runs", {{1, 1}}}}}}};
  const golden::Report report = check(file);
  EXPECT_EQ(count(report, golden::Outcome::fail), 2U) << "made-up values of the new section";
  EXPECT_EQ(count(report, golden::Outcome::fail, "grammar_small_tokenizer.rows[0]"), 2U);
}

TEST(TokensGolden, AFieldThatNobodyKnowsIsReported) {
  nlohmann::json file = golden_file();
  file["strings"][2]["ids_large"] = {1};
  file["poems"] = {{"rows", nlohmann::json::array()}};
  const golden::Report report = check(file);
  EXPECT_EQ(count(report, golden::Outcome::skipped, "strings[2].ids_large"), 1U);
  EXPECT_EQ(count(report, golden::Outcome::skipped, "poems"), 1U);
}

TEST(TokensGolden, ATokenizerThatIsNoneIsOneItem) {
  const test::TempDir dir;
  std::ofstream(dir / "text.model") << "no tokenizer\n";
  std::ofstream(dir / "other.model") << "YQ== 0\n";
  for (const char* name : {"none.model", "text.model", "other.model"}) {
    const golden::Report report = check(golden_file(), (dir / name).string());
    EXPECT_EQ(count(report, golden::Outcome::fail), 1U) << name;
    EXPECT_EQ(count(report, golden::Outcome::fail, "tokenizer_file"), 1U) << name;
    EXPECT_EQ(count(report, golden::Outcome::pass, "alpaca_small_tokenizer.rows"), 12U);
  }
  // A tokenizer, but not the one that the file was made with.
  const std::string small =
      std::string(SCALEMARK_SOURCE_DIR) + "/suites/llm/data/tiktoken_small.model";
  const golden::Report report = check(golden_file(), small);
  EXPECT_EQ(count(report, golden::Outcome::fail), 3U);
  EXPECT_EQ(count(report, golden::Outcome::fail, "tokenizer_file.sha256"), 1U);
}

TEST(TokensGolden, PairsThatAreNotThereAreSkipped) {
  if (real_tokenizer().empty()) GTEST_SKIP() << kHow;
  const test::TempDir dir;
  const golden::Report report = check(golden_file(), real_tokenizer(), dir.path().string());
  expect_none_failed(report);
  EXPECT_EQ(count(report, golden::Outcome::skipped), 1U);
  EXPECT_EQ(count(report, golden::Outcome::skipped, "preference"), 1U);
}

TEST(TokensGolden, AHostileFileGivesAnErrorThatNamesTheField) {
  const nlohmann::json right = golden_file();
  const auto refused = [&](const char* pointer, const nlohmann::json& value, const char* why) {
    nlohmann::json file = right;
    file.at(Pointer(pointer)) = value;
    EXPECT_THAT([&] { check(file); }, ThrowsMessage<InputError>(HasSubstr(why))) << pointer;
  };
  refused("/long_runs/0/count", 1LL << 60, "long_runs[0].count");
  refused("/long_runs/0/count", -1, "long_runs[0].count");
  refused("/strings/0/text", 3, "strings[0].text");
  refused("/strings/0/ids_small", "x", "strings[0].ids_small");
  refused("/alpaca_truncated/rows/0/max_seq_len", 0, "max_seq_len");
  refused("/alpaca/rows", 3, "alpaca.rows");
  refused("/alpaca/train_on_input", "yes", "alpaca.train_on_input");
  refused("/chat/rows/0/conversations/0/0", "robot", "neither system, human nor gpt");
  refused("/preference/file", "../tokens.json", "no plain file name");
  refused("/preference/rows/0/row", -1, "preference.rows[0].row");
  refused("/special_tokens/<|eot_id|>", 1LL << 40, "special_tokens");
  refused("/tokenizer_file/merges", 1LL << 40, "tokenizer_file.merges");
  nlohmann::json without = right;
  without["special_tokens"].erase("<|end_of_text|>");
  EXPECT_EQ(count(check(without), golden::Outcome::fail, "small_tokenizer_file"), 1U);
}

}  // namespace
}  // namespace scalemark
