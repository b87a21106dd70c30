// SPDX-License-Identifier: Apache-2.0
// The operations that a training states, against those that LibTorch sees in a step of it.
#include "suites/imaging/model/workload.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "suites/imaging/model/mobilenet.hpp"
#include "suites/imaging/model/mobilenet_shape.hpp"
#include "tests/support/called_operators.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kBatch = 2, kImage = 40;

Point training(const std::string& mode, const std::string& layout) {
  return {{"batch", kBatch},
          {"device", std::string("cpu")},
          {"image", kImage},
          {"layout", layout},
          {"mode", mode},
          {"precision", std::string("fp32")},
          {"ranks", std::int64_t{1}},
          {"threads", std::int64_t{1}}};
}

/// Sizes of the tensors among the inputs of an operator, and how often it was called so.
using Calls = std::map<std::vector<std::vector<std::int64_t>>, std::int64_t>;

/// Calls of an operator in both passes of a step, with the sizes of its inputs from `first` on,
/// `inputs` of them.
Calls calls_of(const std::string& name, std::size_t inputs, std::size_t first = 0) {
  MobileNetV2 network(MobileNetOptions{});
  network.train();
  Calls calls;
  for (test::CalledOperator& called : test::called_operators([&] {
         network.forward(at::rand({kBatch, 3, kImage, kImage})).sum().backward();
       })) {
    if (called.name != name) continue;
    called.sizes.erase(called.sizes.begin(),
                       called.sizes.begin() + static_cast<std::ptrdiff_t>(first));
    called.sizes.resize(inputs);
    ++calls[called.sizes];
  }
  return calls;
}

TEST(Workload, ConvolutionsAreThoseOfAStep) {
  std::map<std::string, Calls> stated;  // by pass
  for (const WorkloadPart& part : training_workload(training("paper", "nchw"))) {
    if (part.benchmark != "micro/conv2d") continue;
    const Convolution layer = convolution(part.point.text("layer"), kImage);
    EXPECT_EQ(part.point.integer("image"), kImage);
    stated[part.point.text("pass")]
          [{{kBatch, layer.in, layer.size, layer.size},
            {layer.out, layer.in / layer.groups, layer.kernel, layer.kernel}}] += part.count;
  }
  EXPECT_EQ(stated.size(), 2U);
  EXPECT_EQ(stated["forward_train"], calls_of("aten::convolution", 2));
  EXPECT_EQ(stated["backward"], calls_of("aten::convolution_backward", 2, 1))
      << "behind the gradient";
}

TEST(Workload, NormalisationsAreThoseOfAStep) {
  using BySize = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;
  std::map<std::string, BySize> stated;  // by pass
  BySize seen;
  std::int64_t behind = 0;
  for (const WorkloadPart& part : training_workload(training("paper", "nchw"))) {
    if (part.benchmark != "micro/normalization") continue;
    EXPECT_EQ(part.point.integer("images"), kBatch);
    const std::string pass = part.point.text("pass");
    stated[pass][{part.point.integer("channels"), part.point.integer("rows")}] += part.count;
    if (part.point.text("kind") == "batch_relu6" && pass == "forward_train") behind += part.count;
  }
  for (const auto& [sizes, count] : calls_of("aten::batch_norm", 1))
    seen[{sizes[0][1], sizes[0][0] * sizes[0][2] * sizes[0][3]}] += count;
  EXPECT_EQ(stated["forward_train"], seen);
  seen.clear();
  for (const auto& [sizes, count] : calls_of("aten::native_batch_norm_backward", 1, 1))
    seen[{sizes[0][1], sizes[0][0] * sizes[0][2] * sizes[0][3]}] += count;
  EXPECT_EQ(stated["backward"], seen) << "its gradients";
  std::int64_t activations = 0;
  for (const auto& [sizes, count] : calls_of("aten::relu6_", 1)) activations += count;
  for (const auto& [sizes, count] : calls_of("aten::relu6", 1)) activations += count;
  EXPECT_EQ(behind, activations);
}

TEST(Workload, SumsAreThoseOfAStep) {
  std::map<std::int64_t, std::int64_t> stated, seen;  // by elements
  std::int64_t counters = 0, counted = 0;
  for (const WorkloadPart& part : training_workload(training("paper", "nchw"))) {
    if (part.benchmark != "micro/elementwise") continue;
    if (part.component == "batch counters")
      counters += part.count;
    else
      stated[part.point.integer("elements")] += part.count;
  }
  for (const char* name : {"aten::add", "aten::add_"}) {
    for (const auto& [sizes, count] : calls_of(name, 1)) {
      if (sizes[0].empty()) counted += count;
      if (sizes[0].size() == 4)
        seen[sizes[0][0] * sizes[0][1] * sizes[0][2] * sizes[0][3]] += count;
    }
  }
  EXPECT_EQ(stated, seen);
  EXPECT_EQ(2 * counters, counted) << "each calls itself with its number as a tensor";
}

TEST(Workload, TheClassifierHasTheLastImages) {
  std::vector<std::vector<std::int64_t>> sizes;
  for (const WorkloadPart& part : training_workload(training("paper", "nchw"))) {
    if (part.benchmark != "micro/classifier") continue;
    EXPECT_EQ(part.count, 1);
    const Convolution last = convolutions(part.point.integer("image")).back();
    sizes.push_back({part.point.integer("batch"), last.out, last.out_size(), last.out_size()});
  }
  std::vector<std::vector<std::int64_t>> seen;
  for (const auto& [inputs, count] : calls_of("aten::adaptive_avg_pool2d", 1)) {
    EXPECT_EQ(count, 1);
    seen.push_back(inputs[0]);
    seen.push_back(inputs[0]);  // once in each pass
  }
  EXPECT_EQ(sizes, seen);
}

/// Elements of the first inputs of all calls of an operator that are images.
std::int64_t values_of(const std::string& name) {
  std::int64_t values = 0;
  for (const auto& [sizes, count] : calls_of(name, 1)) {
    if (sizes[0].size() == 4)
      values += count * sizes[0][0] * sizes[0][1] * sizes[0][2] * sizes[0][3];
  }
  return values;
}

/// Reuse distances of a layer's convolutions and of the optimiser, in eighths of `kept`.
std::map<std::string, std::int64_t> eighths(const Workload& workload, std::int64_t kept) {
  std::map<std::string, std::int64_t> found;
  for (const WorkloadPart& part : workload) {
    const std::int64_t distance = part.point.integer("reuse_distance");
    EXPECT_EQ(8 * distance % kept, 0) << part.component;
    if (part.benchmark == "micro/optimizer") found["optimiser"] = 8 * distance / kept;
    if (part.benchmark == "micro/conv2d")
      found[part.point.text("layer") + " " + part.point.text("pass")] = 8 * distance / kept;
  }
  return found;
}

/// Kept are inputs and results of normalisations, and copies of what ReLU6 overwrites. The first
/// layer's gradients come last.
TEST(Workload, OperationsOfACpuFindInTheCachesWhatAStepLeaves) {
  const std::int64_t results = values_of("aten::batch_norm"), copies = values_of("aten::clone");
  EXPECT_EQ(copies, values_of("aten::relu6_"));
  Point point = training("paper", "nhwc");
  for (const auto& [precision, element] : {std::pair("fp64", 8), {"fp32", 4}, {"bf16", 2}}) {
    point["precision"] = std::string(precision);
    const auto found = eighths(training_workload(point), element * (2 * results + copies));
    EXPECT_EQ(found.at("stem forward_train"), 1);
    EXPECT_EQ(found.at("stem backward"), 7);
    EXPECT_EQ(found.at("head forward_train"), 7);
    EXPECT_EQ(found.at("head backward"), 1);
    EXPECT_EQ(found.at("optimiser"), 4);
  }
  const auto fused = eighths(training_workload(training("tuned", "nhwc")),
                             4 * (2 * results + copies - values_of("aten::relu6_")));
  EXPECT_EQ(fused.at("stem backward"), 7);
  point["device"] = std::string("cuda");
  for (const WorkloadPart& part : training_workload(point)) {
    EXPECT_EQ(part.point.find("reuse_distance"), nullptr) << part.component;
    if (part.benchmark != "micro/conv2d") continue;
    EXPECT_EQ(part.point.text("pass"), "train");
  }
}

TEST(Workload, TheOptimiserHasAllParameters) {
  const Workload workload = training_workload(training("paper", "nchw"));
  std::int64_t parameters = 0, tensors = 0;
  for (const at::Tensor& one : MobileNetV2().parameters()) {
    parameters += one.numel();
    ++tensors;
  }
  EXPECT_EQ(workload.back().benchmark, "micro/optimizer");
  EXPECT_EQ(workload.back().point.integer("parameters"), parameters);
  EXPECT_EQ(workload.back().point.integer("tensors"), tensors);
}

TEST(Workload, IsNotKnownOfReplicasInOneProcess) {
  Point point = training("paper", "nchw");
  point["replicas"] = std::int64_t{2};
  point["strategy"] = std::string("ddp_ds");
  EXPECT_EQ(why_unknown_operations(point), "");
  point["strategy"] = std::string("data_parallel_persistent");
  EXPECT_EQ(why_unknown_operations(point), "its batch is shared out among replicas in one process");
  point["replicas"] = std::int64_t{1};
  EXPECT_EQ(why_unknown_operations(point), "");
}

std::int64_t bytes_of(const std::vector<at::Tensor>& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& one : tensors) bytes += static_cast<std::int64_t>(one.nbytes());
  return bytes;
}

TEST(Workload, MessagesCarryAllGradientsAndBuffers) {
  Point point = training("paper", "nchw");
  point["strategy"] = std::string("ddp_ds");
  point["broadcast_buffers"] = true;
  std::map<std::string, std::vector<std::int64_t>> messages;
  for (const WorkloadPart& part : training_communication(point)) {
    EXPECT_EQ(part.count, 1);
    messages[part.component + " " + part.benchmark].push_back(part.point.integer("bytes"));
  }
  ASSERT_EQ(messages.size(), 2U);
  const std::vector<std::int64_t>& gradients = messages.at("gradients micro/allreduce");
  EXPECT_EQ(gradients.size(), 2U) << "1 MiB, and the others in less than 25 MiB";
  EXPECT_EQ(gradients.front(), 1 << 20);
  EXPECT_EQ(gradients[0] + gradients[1], bytes_of(MobileNetV2().parameters()));
  const std::vector<std::int64_t>& buffers = messages.at("buffers micro/broadcast");
  EXPECT_EQ(buffers.size(), 2U) << "one for each type";
  EXPECT_EQ(buffers[0] + buffers[1], bytes_of(MobileNetV2().buffers()));

  point["broadcast_buffers"] = false;
  EXPECT_EQ(training_communication(point).size(), 2U);
  point["strategy"] = std::string("single");
  EXPECT_TRUE(training_communication(point).empty());
}

TEST(Workload, TunedTrainingsFuseWhatTheyCan) {
  const auto fused = [](const std::string& mode, const std::string& layout) {
    std::int64_t count = 0;
    for (const WorkloadPart& part : training_workload(training(mode, layout))) {
      if (part.benchmark == "micro/normalization" && part.point.text("pass") == "forward_train" &&
          part.point.flag("fused"))
        count += part.count;
    }
    return count;
  };
  EXPECT_EQ(fused("tuned", "nhwc"), 35) << "all but those behind the 17 projections";
  EXPECT_EQ(fused("tuned", "nchw"), 0);
  EXPECT_EQ(fused("paper", "nhwc"), 0);
}

}  // namespace
}  // namespace scalemark::imaging
