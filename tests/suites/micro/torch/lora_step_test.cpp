// SPDX-License-Identifier: Apache-2.0
// micro/lora_step as `scalemark run` runs it: what it records, and what it refuses.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/result/summarise.hpp"
#include "suites/llm/model/config.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::micro {
namespace {

using test::root;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<CaseResult> lora_steps(const std::vector<std::string>& axes) {
  return test::run_cases("micro/lora_step", axes);
}

double hardware_flops(const CaseResult& result) {
  return std::get<double>(result.facts.at("hardware_flops"));
}

TEST(LoraStep, RecordsStepsRatesAndProof) {
  const auto results =
      lora_steps({"model=tiny", "batch=2", "sequence=24", "precision=fp64,fp32,bf16"});
  if (!root()) return;
  ASSERT_EQ(results.size(), 3U);
  for (const CaseResult& result : results) {
    ASSERT_EQ(result.status, Status::ok) << result.reason;
    const Samples& steps = result.find("step_time")->samples;
    EXPECT_EQ(steps.ranks, static_cast<std::size_t>(test::world().size()));
    EXPECT_GT(steps.value(0, steps.iterations - 1), 0);
    EXPECT_EQ(result.primary_metric, "step_time");
    EXPECT_DOUBLE_EQ(result.find("tokens_per_second")->numerator, 48);
    const double flops = llm::lora_layer_flops(llm::llama_config("tiny"), {}, 2, 24);
    EXPECT_DOUBLE_EQ(result.find("achieved_flops")->numerator, flops);
    EXPECT_DOUBLE_EQ(hardware_flops(result), flops);
    EXPECT_TRUE(result.verification.done);
    EXPECT_GE(result.verification.checked,
              48U * 256 * static_cast<std::size_t>(test::world().size()));
    EXPECT_EQ(result.verification.wrong, 0U);
    EXPECT_THAT(result.key, Not(HasSubstr("checkpointing"))) << "old results keep their keys";
    EXPECT_THAT(result.key, Not(HasSubstr("fused_optimizer")));
  }
  EXPECT_THAT(results[1].key, HasSubstr("batch=2 device=cpu model=tiny precision=fp32"));
  EXPECT_NE(results[1].key, results[2].key);
  const auto peak = [](const CaseResult& one) {
    return median_of(one, *one.find("peak_device_memory"));
  };
  EXPECT_GT(peak(results[0]), 1.9 * peak(results[1])) << "8 bytes against 4";
  EXPECT_LT(peak(results[2]), peak(results[1]));
}

TEST(LoraStep, CheckpointingComputesForwardTwiceAndModelFlopsStay) {
  const auto results = lora_steps({"model=tiny", "batch=2", "sequence=24", "precision=fp32,bf16",
                                   "checkpointing=false,true", "fused_optimizer=true,false"});
  if (!root()) return;
  ASSERT_EQ(results.size(), 8U);
  const llm::LlamaConfig config = llm::llama_config("tiny");
  const double model = llm::lora_layer_flops(config, {}, 2, 24);
  const auto linear = static_cast<double>(llm::count_parameters(config).layer_linear);
  const auto adapters = static_cast<double>(llm::count_lora_parameters(config, {}));
  const double forward = 48 * (2 * linear + 2 * adapters + 4.0 * 24 * 256);
  for (const CaseResult& result : results) {
    ASSERT_EQ(result.status, Status::ok) << result.key << ": " << result.reason;
    EXPECT_EQ(result.verification.wrong, 0U) << result.key;
    EXPECT_DOUBLE_EQ(result.find("achieved_flops")->numerator, model);
    const bool twice = result.key.find("checkpointing=true") != std::string::npos;
    EXPECT_DOUBLE_EQ(hardware_flops(result), twice ? model + forward : model) << result.key;
  }
}

TEST(LoraStep, Tf32IsSkippedOnCpus) {
  const auto results = lora_steps({"model=tiny", "batch=1", "sequence=8", "precision=tf32"});
  if (!root()) return;
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].status, Status::skipped);
  EXPECT_THAT(results[0].reason, HasSubstr("tf32"));
}

TEST(LoraStep, ALayerThatDoesNotFitIsRefusedBeforeItIsMade) {
  const auto results = lora_steps({"model=8b", "batch=4096", "sequence=8192"});
  if (!root()) return;
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results[0].status == Status::oom || results[0].status == Status::skipped);
  EXPECT_GT(results[0].predicted_memory, std::uint64_t{1} << 40);
  EXPECT_EQ(results[0].find("step_time"), nullptr);
}

TEST(LoraStep, TheRealLayerIsTheDefaultWhereThereIsAGpu) {
  const Benchmark* const benchmark = Registry::instance().find("micro/lora_step");
  ASSERT_NE(benchmark, nullptr);
  const Axis* const model = benchmark->find_axis("model");
  PlanContext job;
  EXPECT_EQ(model->defaults(job), std::vector<Value>{std::string("1b")});
  job.cuda_usable = true;
  EXPECT_EQ(model->defaults(job), std::vector<Value>{std::string("8b")});
}

}  // namespace
}  // namespace scalemark::micro
