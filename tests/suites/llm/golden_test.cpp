// SPDX-License-Identifier: Apache-2.0
// Golden topic "llama": all of torchtune's values, and that the check notices what is wrong.
#include <functional>
#include <string>

#include "tests/suites/llm/golden_support.hpp"

namespace scalemark {
namespace {

golden::Report check(const nlohmann::json& file, const golden::Options& options = {}) {
  return golden_report("llama", file, options);
}

TEST(LlamaGolden, EverythingAgrees) { expect_all_pass(check(golden_file("llama.json")), 940); }

/// Three layers, three key/value heads, other base and epsilon, LoRA of rank 4 and alpha 6 on
/// k_proj too.
TEST(LlamaGolden, AnotherSeedAndShapeAgree) {
  expect_all_pass(check(golden_file("llama_seed7.json")), 700);
}

TEST(LlamaGolden, OnePrecisionAloneSkipsTheOther) {
  for (const auto& [asked, other] :
       {std::pair<std::string, std::string>{"fp32", "fp64"}, {"fp64", "fp32"}}) {
    const golden::Report report =
        check(golden_file("llama.json"), {.device = "cpu", .precisions = {asked}, .tokenizer = {}});
    EXPECT_EQ(count(report, golden::Outcome::fail), 0U);
    EXPECT_GT(count(report, golden::Outcome::pass, "base." + asked), 5U);
    EXPECT_EQ(count(report, golden::Outcome::pass, "base." + other), 0U);
    EXPECT_EQ(count(report, golden::Outcome::skipped, "base." + other), 1U);
    for (const golden::Item& item : report.items()) {
      if (item.outcome == golden::Outcome::skipped) {
        EXPECT_EQ(item.reason, "precision " + other + " was not asked for") << item.item;
      }
    }
  }
}

TEST(LlamaGolden, AnUnknownFieldIsReported) {
  nlohmann::json file = golden_file("llama.json");
  file["novelty"] = {{"a", 1}};
  file["base"]["fp64"]["perplexity"] = 439.3;
  file["lora"]["gradients_step0"].begin().value()["median"] = 0;
  file["schedule"][0]["restarts"] = 2;
  const golden::Report report = check(file);
  EXPECT_EQ(count(report, golden::Outcome::fail), 0U);
  EXPECT_EQ(count(report, golden::Outcome::skipped), 4U);
  EXPECT_EQ(count(report, golden::Outcome::skipped, "novelty"), 1U);
  EXPECT_EQ(count(report, golden::Outcome::skipped, "base.fp64.perplexity"), 1U);
  EXPECT_EQ(count(report, golden::Outcome::skipped, "schedule[0].restarts"), 1U);
}

TEST(LlamaGolden, APlantedErrorIsNoticed) {
  const Planted planted[] = {
      {"LoRA factor", [](auto& file) { file["lora"]["alpha"] = 8; },
       "lora.lora_b_filled.logits_fp64", "base.fp64.logits"},
      {"norm epsilon", [](auto& file) { file["config"]["norm_eps"] = 2e-5; }, "base.fp32.logits",
       "filled_parameters"},
      {"rotary base", [](auto& file) { file["config"]["rope_base"] = 500'100; },
       "packed.logits_fp64", "rope.table_fp64"},
      {"grouped heads",
       [](auto& file) { file["config"]["heads"] = 8, file["config"]["kv_heads"] = 4; },
       "base.fp64.logits", "filled_parameters"},
      {"label", [](auto& file) { file["labels"]["values"][0][9] = 5; }, "base.fp64.loss_mean",
       "base.fp64.logits"},
      {"seed", [](auto& file) { file["seed"] = 2; }, "tokens", "model_sizes"},
      {"gain", [](auto& file) { file["gain"] = 3.0001; }, "filled_parameters.tok_embeddings.weight",
       "schedule"},
      {"weight decay", [](auto& file) { file["lora"]["optimizer"]["weight_decay"] = 0; },
       "lora.losses_fp64", "lora.gradients_step0"},
      {"momentum",
       [](auto& file) { file["base"]["full_fine_tuning"]["optimizer"]["beta2"] = 0.99; },
       "base.full_fine_tuning.losses_fp32", "base.full_fine_tuning.gradients_step0"},
      {"packing",
       [](auto& file) {
         file["packed"]["sequence_lengths"] = {7, 9};
       },
       "packed.positions", "base.fp64.logits"},
      {"warm-up", [](auto& file) { file["schedule"][0]["warmup_steps"] = 99; },
       "schedule[0].factors", "model_sizes"},
      {"a size", [](auto& file) { file["model_sizes"]["8b"]["parameters"] = 8'030'261'249; },
       "model_sizes.8b.parameters", "model_sizes.8b.layers"},
      {"a gradient",
       [](auto& file) { file["accumulation"]["lora_b_gradients_fp64"]["weighted_sum"] = -0.68; },
       "accumulation.lora_b_gradients_fp64", "accumulation.label_counts"},
  };
  for (const Planted& error : planted) {
    nlohmann::json file = golden_file("llama.json");
    error.change(file);
    expect_noticed(error, check(file));
  }
}

TEST(LlamaGolden, AHostileFileIsRefusedByTheNameOfTheField) {
  const auto refuses = [](const std::function<void(nlohmann::json&)>& change,
                          const std::string& text) {
    expect_refused("llama", golden_file("llama.json"), change, text);
  };
  refuses([](auto& file) { file.erase("config"); }, "config");
  refuses([](auto& file) { file["config"]["dim"] = "64"; }, "config.dim");
  refuses([](auto& file) { file["config"]["heads"] = 0; }, "heads is 0");
  refuses([](auto& file) { file["config"]["dim"] = 1 << 20; }, "parameters; allowed");
  refuses([](auto& file) { file["config"]["layers"] = 3; }, "'parameters'");
  refuses([](auto& file) { file["parameters"][3][1] = {1, 1}; }, "layers.0.attn.v_proj.weight");
  refuses([](auto& file) { file["parameters"][3][0] = "stranger"; }, "stranger");
  refuses([](auto& file) { file["parameters"][3] = nullptr; }, "parameters[3]");
  refuses([](auto& file) { file["tokens"]["values"][0][0] = 512; }, "tokens");
  refuses([](auto& file) { file["tokens"]["values"][0][0] = -1; }, "tokens");
  refuses([](auto& file) { file["tokens"]["shape"] = {1 << 30, 1 << 30}; }, "tokens");
  refuses([](auto& file) { file["labels"]["values"][0].erase(0); }, "labels.values");
  refuses([](auto& file) { file["labels"]["values"][0][3] = 512; }, "labels.values");
  refuses([](auto& file) { file["base"]["fp64"]["logits"]["sum"] = nullptr; },
          "base.fp64.logits.sum");
  refuses([](auto& file) { file["base"]["fp64"]["logits"]["first"] = {{{1}}}; },
          "base.fp64.logits.first");
  refuses([](auto& file) { file["base"]["full_fine_tuning"]["steps"] = 1'000'000'000; },
          "1000000000");
  refuses([](auto& file) { file["lora"]["rank"] = 0; }, "lora.rank");
  refuses([](auto& file) { file["lora"]["optimizer"]["name"] = "sgd"; }, "lora.optimizer.name");
  refuses([](auto& file) { file["packed"]["sequence_lengths"] = {-6, 22}; }, "sequence_lengths");
  EXPECT_THROW(check(nlohmann::json::array()), InputError);
}

}  // namespace
}  // namespace scalemark
