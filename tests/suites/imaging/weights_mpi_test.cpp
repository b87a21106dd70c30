// SPDX-License-Identifier: Apache-2.0
// Weights from outside, on 1 and 2 ranks: bit for bit, and none that do not fit.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/torch/fingerprint.hpp"
#include "suites/imaging/model/weights.hpp"
#include "tests/suites/imaging/train_case.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::imaging {
namespace {

using ::testing::HasSubstr;
using torch_support::NamedTensors;

/// A network whose parameters and buffers come from `seed`.
MobileNetV2 network(std::uint64_t seed, const MobileNetOptions& options = {}) {
  at::manual_seed(seed);
  MobileNetV2 model(options);
  const at::NoGradGuard no_grad;
  model.train();
  model.forward(at::randn({4, 3, 64, 64}));  // moves the statistics
  model.eval();
  return model;
}

NamedTensors copy_of(const NamedTensors& weights) {
  NamedTensors copy;
  for (const auto& [name, tensor] : weights) copy[name] = tensor.detach().clone();
  return copy;
}

TEST(Weights, NamesAndShapesAreTorchvisions) {
  const MobileNetV2 model;
  const NamedTensors weights = weights_of(model);
  // 52 convolutions, as many normalisations of five tensors, the classifier's two.
  EXPECT_EQ(weights.size(), 52U + 52 * 5 + 2);
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> known{
      {"features.0.0.weight", {32, 3, 3, 3}},
      {"features.1.conv.0.0.weight", {32, 1, 3, 3}},
      {"features.1.conv.2.running_var", {16}},
      {"features.2.conv.1.1.num_batches_tracked", {}},
      {"features.17.conv.2.weight", {320, 960, 1, 1}},
      {"features.18.1.bias", {1280}},
      {"classifier.1.weight", {10, 1280}}};
  for (const auto& [name, shape] : known) {
    ASSERT_TRUE(weights.contains(name)) << name;
    EXPECT_EQ(weights.at(name).sizes().vec(), shape) << name;
  }
}

TEST(Weights, AFileGivesTheSameLogitsBitForBit) {
  const test::TempDir folder;
  const at::NoGradGuard no_grad;
  MobileNetV2 written = network(1), read = network(2);
  const at::Tensor images = at::randn({2, 3, 64, 64});
  EXPECT_FALSE(read.forward(images).equal(written.forward(images)));
  torch_support::write_safetensors(folder / "w.safetensors", weights_of(written));
  set_weights(read, torch_support::read_safetensors(folder / "w.safetensors"), "w");
  EXPECT_TRUE(read.forward(images).equal(written.forward(images)));
}

TEST(Weights, AreConvertedToTheNetworksTypeAndNeedNoCounts) {
  const MobileNetV2 written = network(1);
  NamedTensors weights = copy_of(weights_of(written));
  std::erase_if(weights, [](const auto& one) { return one.first.ends_with("batches_tracked"); });
  EXPECT_EQ(weights.size(), 52U + 52 * 4 + 2);
  MobileNetV2 read = network(2);
  read.to(at::kDouble);
  set_weights(read, weights, "w");
  for (const auto& [name, tensor] : weights)
    EXPECT_TRUE(weights_of(read).at(name).equal(tensor.to(at::kDouble))) << name;
}

/// Why changed weights are refused.
std::string refusal(const std::function<void(NamedTensors&)>& change) {
  MobileNetV2 model = network(2);
  const NamedTensors before = copy_of(weights_of(model));
  NamedTensors weights = copy_of(weights_of(network(1)));
  change(weights);
  std::string reason = "(taken)";
  try {
    set_weights(model, weights, "some.safetensors");
  } catch (const InputError& error) {
    reason = error.what();
    for (const auto& [name, tensor] : before)
      EXPECT_TRUE(weights_of(model).at(name).equal(tensor)) << name << " has changed";
  }
  return reason;
}

TEST(Weights, ThatDoNotFitAreRefusedWithTheReason) {
  EXPECT_EQ(refusal([](NamedTensors&) {}), "(taken)");
  EXPECT_EQ(refusal([](NamedTensors& w) { w.erase("features.18.0.weight"); }),
            "some.safetensors: 'features.18.0.weight' is missing");
  EXPECT_EQ(refusal([](NamedTensors& w) { w["features.19.0.weight"] = at::zeros({1}); }),
            "some.safetensors: MobileNetV2 has no 'features.19.0.weight'");
  EXPECT_EQ(refusal([](NamedTensors& w) {
              w["features.0.0.weight"] = at::zeros({32, 3, 3});
            }),
            "some.safetensors: 'features.0.0.weight' is of shape [32, 3, 3], the network's of "
            "[32, 3, 3, 3]");
  EXPECT_EQ(refusal([](NamedTensors& w) { w["features.0.1.bias"] = at::zeros({32}, at::kLong); }),
            "some.safetensors: 'features.0.1.bias' is of type Long");
  EXPECT_EQ(
      refusal([](NamedTensors& w) { w = copy_of(weights_of(network(1, {.classes = 1000}))); }),
      "some.safetensors: its classifier has 1000 classes, the model 10");
}

const std::vector<std::string> kFromWeights{"image=32", "batch=4", "images=32", "test_images=40",
                                            "start=weights"};

TEST(Weights, ATrainingStartsFromThem) {
  const test::TempDir folder;
  NamedTensors weights = copy_of(weights_of(network(1)));
  weights["classifier.1.bias"].select(0, 3).fill_(50);  // sure of a three
  SessionOptions options;
  options.data["weights"] = test::world().broadcast((folder / "w.safetensors").string());
  if (root()) torch_support::write_safetensors(options.data["weights"], weights);
  test::world().barrier();
  const TrainRun run = run_train(kFromWeights, options);
  test::world().barrier();  // before the folder goes
  if (!root()) return;
  ASSERT_EQ(run.result().status, Status::ok) << run.result().reason;
  EXPECT_THAT(run.result().key, HasSubstr("start=weights"));
  EXPECT_GT(run.value("first_loss"), 10) << "most images are no threes";
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : weights) tensors.push_back(tensor);
  EXPECT_EQ(run.fact("weights"), torch_support::to_hex(torch_support::fingerprint(tensors)));
}

TEST(Weights, AFileThatIsNotGivenOrNotThereIsTheCasesReason) {
  const TrainRun none = run_train(kFromWeights);
  EXPECT_EQ(none.outcome.skipped, 1U);
  SessionOptions options;
  options.data["weights"] = "/nowhere/w.safetensors";
  const TrainRun missing = run_train(kFromWeights, options);
  EXPECT_EQ(missing.outcome.failed, 1U);
  if (!root()) return;
  EXPECT_THAT(none.result().reason, HasSubstr("--data weights=FILE"));
  EXPECT_THAT(missing.result().reason, HasSubstr("/nowhere/w.safetensors"));
}

}  // namespace
}  // namespace scalemark::imaging
