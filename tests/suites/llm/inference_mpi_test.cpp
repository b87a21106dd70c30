// SPDX-License-Identifier: Apache-2.0
// Cases of llm/inference as a whole.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "suites/llm/model/config.hpp"
#include "tests/support/mpi_main.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::llm {
namespace {

using test::root;  // results are checked before the samples and after them, on each rank

/// What a rate divides by the time.
double numerator(const test::CaseRun& run, const std::string& rate) {
  return run.result().find(rate)->numerator;
}

test::CaseRun infer(std::vector<std::string> axes) {
  axes = test::with_usual(std::move(axes), {"model=tiny", "batch=2", "context=16",
                                            "ranks=" + std::to_string(test::world().size())});
  return test::run_case("llm/inference", axes, {}, {}, 2);
}

/// Weights of the tiny model in fp32 but for its embedding, which is looked up: 4 layers and a
/// head.
double bytes_of_weights(std::int64_t shards) {
  LlamaConfig config = llama_config("tiny");
  config.shards = shards;
  const ParameterCounts counts = count_parameters(config);
  return 4.0 * static_cast<double>(4 * counts.per_layer + counts.embedding / shards);
}

TEST(Inference, APromptGivesTheTimeToItsFirstToken) {
  const auto run = infer({"phase=prefill", "parallel=data"});
  if (!root()) return;
  const CaseResult& result = run.result();
  ASSERT_EQ(result.status, Status::ok) << result.reason;
  EXPECT_EQ(result.primary_metric, "time_to_first_token");
  const double tokens = 2.0 * 16 * test::world().size();
  EXPECT_NEAR(numerator(run, "tokens_per_second") / tokens, 1, 1e-6);
  const LlamaConfig config = llama_config("tiny");
  const ParameterCounts counts = count_parameters(config);
  const double flops = 2.0 * 32 * static_cast<double>(config.layers * counts.layer_linear) +
                       2.0 * 2 * static_cast<double>(counts.embedding) +
                       4.0 * static_cast<double>(config.layers * config.dim) * 2 * 16 * 16;
  EXPECT_DOUBLE_EQ(numerator(run, "achieved_flops"), flops);
  EXPECT_EQ(result.find("bandwidth"), nullptr);
  EXPECT_EQ(result.verification.checked, 2U * 2 * static_cast<unsigned>(test::world().size()));
}

TEST(Inference, ATokenReadsWeightsAndCache) {
  const auto run = infer({"phase=decode", "parallel=data"});
  if (!root()) return;
  const CaseResult& result = run.result();
  ASSERT_EQ(result.status, Status::ok) << result.reason;
  EXPECT_EQ(result.primary_metric, "time_per_output_token");
  EXPECT_NEAR(numerator(run, "tokens_per_second"), 2.0 * test::world().size(), 1e-6);
  // 17 tokens of 2 rows: keys and values of 2 heads of 32 in 4 layers.
  const double cache = 17.0 * 2 * 2 * (2 * 32) * 4 * 4;
  EXPECT_EQ(run.fact("kv_cache_bytes"), std::to_string(static_cast<std::int64_t>(cache)));
  EXPECT_NEAR(numerator(run, "bandwidth") / (bytes_of_weights(1) + cache), 1, 1e-6);
}

TEST(Inference, RanksThatShareAModelReadTheirPart) {
  const auto run = infer({"phase=decode", "parallel=tensor"});
  if (!root()) return;
  const CaseResult& result = run.result();
  if (test::world().size() == 3) {
    EXPECT_EQ(result.reason,
              "tensor parallelism: 3 ranks cannot share kv_heads 2, ffn_dim 704 and vocab_size "
              "4096 equally");
    return;
  }
  ASSERT_EQ(result.status, Status::ok) << result.reason;
  const int ranks = test::world().size();
  EXPECT_EQ(result.params.text("parallel"), ranks > 1 ? "tensor" : "data");
  const double cache = 17.0 * 2 * 2 * (2 * 32) * 4 * 4 / ranks;
  EXPECT_EQ(run.fact("kv_cache_bytes"), std::to_string(static_cast<std::int64_t>(cache)));
  EXPECT_NEAR(numerator(run, "bandwidth") / (bytes_of_weights(ranks) + cache), 1, 1e-6);
  EXPECT_NEAR(numerator(run, "tokens_per_second"), 2, 1e-6);
  EXPECT_EQ(result.verification.checked, 2U * (ranks > 1 ? 4 : 2) * static_cast<unsigned>(ranks));
}

TEST(Inference, WhatIsNotPossibleIsSkippedWithItsReason) {
  const auto reason = [](const std::vector<std::string>& axes) {
    const auto run = infer(axes);
    return root() ? run.result().reason : "";
  };
  const std::string long_context = reason({"context=3000", "parallel=data", "phase=decode"});
  const std::string graphs = reason({"graphs=true", "parallel=data", "phase=decode"});
  if (!root()) return;
  EXPECT_EQ(long_context, "3001 tokens per row are more than the model's 2048");
  EXPECT_EQ(graphs, "CUDA graphs are for GPUs");
}

}  // namespace
}  // namespace scalemark::llm
