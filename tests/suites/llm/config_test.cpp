// SPDX-License-Identifier: Apache-2.0
// Sizes, FLOPs, rotary frequencies and schedule, against published counts and hand-worked numbers.
#include "suites/llm/model/config.hpp"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "suites/llm/model/rope.hpp"
#include "suites/llm/optim/schedule.hpp"

namespace scalemark::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(LlamaConfig, CountsAreThePublishedOnes) {
  EXPECT_EQ(count_parameters(llama_config("8b")).total, 8'030'261'248);
  EXPECT_EQ(count_parameters(llama_config("8b")).per_layer, 218'112'000);
  EXPECT_EQ(count_parameters(llama_config("8b")).tensors, 291);
  EXPECT_EQ(count_parameters(llama_config("3b")).total, 3'212'749'824);
  EXPECT_EQ(count_parameters(llama_config("1b")).total, 1'235'814'400);
  EXPECT_EQ(32 * count_lora_parameters(llama_config("8b"), {}), 19'660'800);
}

TEST(LlamaConfig, LoraCountFollowsRankAndModules) {
  // 8b: q_proj is 4096 x 4096, k_proj 1024 x 4096.
  EXPECT_EQ(count_lora_parameters(llama_config("8b"),
                                  {.rank = 1, .alpha = 1, .modules = {"q_proj", "k_proj"}}),
            4096 + 4096 + 4096 + 1024);
  EXPECT_THAT(
      [] { count_lora_parameters(llama_config("8b"), {.rank = 1, .alpha = 1, .modules = {"w4"}}); },
      ThrowsMessage<UsageError>(HasSubstr("w4")));
}

TEST(LlamaConfig, UnknownNameListsTheModels) {
  EXPECT_THAT([] { llama_config("8g"); }, ThrowsMessage<UsageError>(HasSubstr("8b")));
}

TEST(LlamaConfig, ImpossibleSizesAreRefusedByName) {
  const auto refuses = [](auto change, const char* text) {
    LlamaConfig config = llama_config("tiny");
    change(config);
    EXPECT_THAT([&] { check(config, "here"); }, ThrowsMessage<InputError>(HasSubstr(text)));
  };
  EXPECT_NO_THROW(check(llama_config("8b"), "here"));
  refuses([](LlamaConfig& config) { config.heads = 0; }, "heads is 0");
  refuses([](LlamaConfig& config) { config.dim = -4; }, "dim is -4");
  refuses([](LlamaConfig& config) { config.dim = 255; }, "multiple of heads");
  refuses([](LlamaConfig& config) { config.kv_heads = 3; }, "multiple of kv_heads");
  refuses([](LlamaConfig& config) { config.dim = 8; }, "even");
  refuses([](LlamaConfig& config) { config.norm_eps = std::nan(""); }, "norm_eps");
  refuses([](LlamaConfig& config) { config.vocab_size = std::int64_t{1} << 40; }, "vocab_size");
}

TEST(LlamaConfig, FlopsOfALoraLayerByHand) {
  const LlamaConfig config = llama_config("8b");
  EXPECT_DOUBLE_EQ(lora_layer_flops(config, {}, 1, 1),
                   4 * 218'103'808.0 + 6 * 614'400.0 + 12 * 4096.0);
  EXPECT_DOUBLE_EQ(lora_layer_flops(config, {}, 3, 2),
                   6 * (4 * 218'103'808.0 + 6 * 614'400.0 + 12 * 4096.0 * 2));
}

TEST(LlamaConfig, MemoryOfALoraLayerHoldsWeightsAndGrowsWithTokens) {
  const LlamaConfig config = llama_config("8b");
  EXPECT_GT(lora_layer_bytes(config, {}, 1, 1, 4), 4 * 218'112'000ULL);
  EXPECT_LT(lora_layer_bytes(config, {}, 1, 1, 4), 2 * 4 * 218'112'000ULL);
  // The four rows of the feed-forward alone are kept for backward.
  EXPECT_GT(lora_layer_bytes(config, {}, 8, 1024, 4) - lora_layer_bytes(config, {}, 4, 1024, 4),
            4 * 1024ULL * 4 * 14'336 * 4);
}

TEST(Rope, FrequenciesByHand) {
  const auto frequencies = rope_frequencies<double>(6, 1000, 1);
  ASSERT_EQ(frequencies.size(), 3U);
  EXPECT_NEAR(frequencies[0], 1, 1e-15);
  EXPECT_NEAR(frequencies[1], 0.1, 1e-15);
  EXPECT_NEAR(frequencies[2], 0.01, 1e-15);
}

/// Head dimension 4 has the frequencies 1 and base^-1/2: a base for each wavelength.
double scaled_over_plain(double wavelength, double scale) {
  const double base = std::pow(wavelength / (2 * std::numbers::pi), 2);
  return rope_frequencies<double>(4, base, scale)[1] / rope_frequencies<double>(4, base, 1)[1];
}

TEST(Rope, LongContextScalingKeepsShortWavesAndStretchesLongOnes) {
  EXPECT_NEAR(scaled_over_plain(1000, 8), 1, 1e-12);
  EXPECT_NEAR(scaled_over_plain(20'000, 8), 1.0 / 8, 1e-12);
  // Wavelength 4096: smooth = (8192 / 4096 - 1) / 3 = 1/3, so 2/3 / 8 + 1/3 = 5/12.
  EXPECT_NEAR(scaled_over_plain(4096, 8), 5.0 / 12, 1e-12);
}

TEST(Rope, TableHoldsCosineAndSineOfPositionTimesFrequency) {
  const auto table = rope_table<double>({1, 0.5}, 3);
  ASSERT_EQ(table.size(), 12U);
  EXPECT_EQ(table[0], 1);
  EXPECT_EQ(table[1], 0);
  EXPECT_NEAR(table[8], std::cos(2.0), 1e-15);
  EXPECT_NEAR(table[9], std::sin(2.0), 1e-15);
  EXPECT_NEAR(table[10], std::cos(1.0), 1e-15);
}

TEST(Schedule, WarmsUpAndFallsByHalfACosine) {
  EXPECT_EQ(cosine_with_warmup(0, 10, 110), 0);
  EXPECT_DOUBLE_EQ(cosine_with_warmup(5, 10, 110), 0.5);
  EXPECT_DOUBLE_EQ(cosine_with_warmup(10, 10, 110), 1);
  EXPECT_NEAR(cosine_with_warmup(60, 10, 110), 0.5, 1e-15);
  EXPECT_EQ(cosine_with_warmup(110, 10, 110), 0);
  EXPECT_EQ(cosine_with_warmup(500, 10, 110), 0);
  EXPECT_EQ(cosine_with_warmup(0, 0, 10), 1);
}

}  // namespace
}  // namespace scalemark::llm
