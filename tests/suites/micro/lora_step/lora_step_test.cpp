// SPDX-License-Identifier: Apache-2.0
// micro/lora_step as `scalemark run` runs it: what it records, and what it refuses.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/core/plan.hpp"
#include "common/core/runner.hpp"
#include "common/core/session.hpp"
#include "common/result/sink.hpp"
#include "common/result/summarise.hpp"
#include "suites/llm/config.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark {
namespace {

using ::testing::HasSubstr;

class KeepingSink final : public ResultSink {
 public:
  void begin(const Run&) override {}
  void started(const CaseResult&) override {}
  void phase(const CaseResult&) override {}
  void add(const CaseResult& result) override { results.push_back(result); }
  void end(const Run&) override {}
  std::vector<CaseResult> results;
};

/// Collective. Results on rank 0.
std::vector<CaseResult> run(const std::vector<std::string>& axes) {
  SessionOptions options;
  options.placement = topology::Policy::none;
  Session session(test::world(), options);
  PlanRequest request;
  request.filters = {"micro/lora_step"};
  request.policy.iterations = 4;
  request.overrides = {parse_override("device=cpu"), parse_override("threads=1")};
  for (const std::string& axis : axes) request.overrides.push_back(parse_override(axis));
  KeepingSink sink;
  Runner(session, sink, {}).run(make_plan(Registry::instance(), request, session.context()));
  return sink.results;
}

bool root() { return test::world().rank() == 0; }

TEST(LoraStep, RecordsStepsRatesAndProof) {
  const auto results = run({"model=tiny", "batch=2", "sequence=24", "precision=fp32,bf16"});
  if (!root()) return;
  ASSERT_EQ(results.size(), 2U);
  for (const CaseResult& result : results) {
    ASSERT_EQ(result.status, Status::ok) << result.reason;
    const Samples& steps = result.find("step_time")->samples;
    EXPECT_EQ(steps.ranks, static_cast<std::size_t>(test::world().size()));
    EXPECT_GT(steps.value(0, steps.iterations - 1), 0);
    EXPECT_EQ(result.primary_metric, "step_time");
    EXPECT_DOUBLE_EQ(result.find("tokens_per_second")->numerator, 48);
    EXPECT_DOUBLE_EQ(result.find("achieved_flops")->numerator,
                     llm::lora_layer_flops(llm::llama_config("tiny"), {}, 2, 24));
    EXPECT_TRUE(result.verification.done);
    EXPECT_GE(result.verification.checked,
              48U * 256 * static_cast<std::size_t>(test::world().size()));
    EXPECT_EQ(result.verification.wrong, 0U);
  }
  EXPECT_THAT(results[0].key, HasSubstr("batch=2 device=cpu model=tiny precision=fp32"));
  EXPECT_NE(results[0].key, results[1].key);
}

TEST(LoraStep, ALayerThatDoesNotFitIsRefusedBeforeItIsMade) {
  const auto results = run({"model=8b", "batch=4096", "sequence=8192"});
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
}  // namespace scalemark
