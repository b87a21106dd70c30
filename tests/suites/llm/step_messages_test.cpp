// SPDX-License-Identifier: Apache-2.0
// The messages that a fine-tuning states, against its model and the traffic of a step.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "suites/llm/model/config.hpp"
#include "suites/llm/train/forecast.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/llm/train/sharded_traffic.hpp"
#include "tests/suites/llm/training_point.hpp"

namespace scalemark::llm {
namespace {

TEST(StepMessages, CarryAllGradients) {
  for (const Method method : {Method::lora, Method::full}) {
    const Llama model = make_method_model(method, llama_config("tiny"), torch::TensorOptions());
    std::int64_t trained = 0, sent = 0;
    for (const torch::Tensor& one : model->parameters())
      trained += one.requires_grad() ? static_cast<std::int64_t>(one.nbytes()) : 0;
    Point point = training_point(method == Method::lora ? "lora" : "full");
    EXPECT_TRUE(step_communication(point).empty());
    point["parallel"] = std::string("ddp");
    for (const WorkloadPart& part : step_communication(point)) {
      EXPECT_EQ(part.benchmark, "micro/allreduce");
      EXPECT_LE(part.point.integer("bytes"), 25 << 20);
      sent += part.point.integer("bytes");
    }
    EXPECT_EQ(sent, trained);
  }
}

/// Ranks such that wholes of all kinds are rounded up.
Point sharded_point(const std::string& method, std::int64_t ranks, bool reshard) {
  Point point = training_point(method);
  point["parallel"] = std::string("fsdp");
  point["ranks"] = ranks;
  point["accumulation"] = std::int64_t{2};
  point["reshard"] = reshard;
  return point;
}

/// The messages are made from shapes alone; the traffic is that of a model with values.
TEST(StepMessages, ShardedAreTheTrafficOfAStep) {
  for (const std::string& method : method_names()) {
    if (method == "qlora") continue;  // "tiny" has no whole blocks of NF4
    const Llama model =
        make_method_model(parse_method(method), llama_config("tiny"), torch::TensorOptions());
    for (const std::int64_t ranks : {1, 3, 64}) {
      for (const bool reshard : {true, false}) {
        const Point point = sharded_point(method, ranks, reshard);
        torch_support::FsdpTraffic sent;
        for (const WorkloadPart& part : step_communication(point)) {
          const std::int64_t bytes = part.point.integer("bytes");
          const auto count = static_cast<std::uint64_t>(part.count);
          if (part.benchmark == "micro/allgather") {
            sent.gathers += count;
            sent.gathered_bytes += count * static_cast<std::uint64_t>(bytes * (ranks - 1));
          } else if (part.benchmark == "micro/reduce_scatter") {
            EXPECT_EQ(bytes % ranks, 0);
            sent.reductions += count;
            sent.reduced_bytes += count * static_cast<std::uint64_t>(bytes / ranks * (ranks - 1));
          } else {
            EXPECT_EQ(part.component, "gradients' norm");
          }
        }
        EXPECT_EQ(sent, expected_traffic(model, traffic_request(point)))
            << method << " " << ranks << " " << reshard;
      }
    }
  }
}

TEST(StepMessages, ShardedNeedNoMemory) {
  Point point = sharded_point("qlora", 64, true);
  point["model"] = std::string("8b");
  point["precision"] = std::string("bf16");
  std::int64_t gathered = 0;
  for (const WorkloadPart& part : step_communication(point)) {
    if (part.benchmark == "micro/allgather")
      gathered += part.count * part.point.integer("bytes") * point.integer("ranks");
  }
  // 4 bits of each of 32 layers' 218 million weights, forward and backward, in two micro-batches;
  // and embedding and head of 128,256 x 4,096 in 16 bits, forward.
  const double layers = 32 * 218'103'808.0 / 2, root = 2 * 2 * 128'256 * 4'096.0;
  EXPECT_NEAR(static_cast<double>(gathered) / (2 * (2 * layers + root)), 1, 0.05);
}

}  // namespace
}  // namespace scalemark::llm
