// SPDX-License-Identifier: Apache-2.0
// What a fine-tuning reads and leaves: weights, adapters, and the state from which it goes on.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "common/torch/fingerprint.hpp"
#include "suites/llm/io/weights.hpp"
#include "suites/llm/train/loop_state.hpp"
#include "tests/suites/llm/small_config.hpp"
#include "tests/support/run_case.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::llm {
namespace {

using test::root;
using ::testing::HasSubstr;

test::CaseRun finetune(std::vector<std::string> axes, SessionOptions options = {},
                       const std::optional<CaseState>& state = {}) {
  axes = test::with_usual(std::move(axes),
                          {"model=tiny", "source=builtin", "sequence=48", "warmup_steps=2",
                           "ranks=" + std::to_string(test::world().size())});
  return test::run_case("llm/finetune", axes, std::move(options), state);
}

void expect_the_same(const test::CaseRun& whole, const test::CaseRun& resumed) {
  for (const char* fact :
       {"parameters_fingerprint", "loaded_bytes", "trained_parameters", "steps_without_labels"})
    EXPECT_EQ(resumed.fact(fact), whole.fact(fact)) << fact;
  for (const char* name : {"step_loss", "gradient_norm"})
    EXPECT_EQ(resumed.series(name, 0), whole.series(name, 0)) << name;
  EXPECT_EQ(resumed.series("step_time", 0).size(), whole.series("step_time", 0).size());
  EXPECT_EQ(resumed.value("loss"), whole.value("loss"));
}

class Resumed : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Resumed, FinetuningIsTheOneThatWasNotInterrupted) {
  std::vector<std::string> axes = GetParam();
  axes.insert(axes.end(), {"rows=16", "steps=6", "epochs=20", "save_every=2"});
  const auto whole = finetune(axes);
  EXPECT_EQ(whole.outcome.ok, 1U);
  ASSERT_FALSE(root() && whole.sink.states.size() != 2) << "after steps 2 and 4";
  for (const std::size_t which : {0, 1}) {
    const auto resumed =
        finetune(axes, {}, root() ? std::optional(whole.sink.states[which]) : std::nullopt);
    EXPECT_EQ(resumed.outcome.ok, 1U);
    if (!root()) continue;
    EXPECT_EQ(resumed.fact("resumed_at_step"), which == 0 ? "3" : "5");
    EXPECT_EQ(resumed.sink.states.size(), 1 - which) << "only what was left is done";
    expect_the_same(whole, resumed);
  }
}

using Axes = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(Axes, Resumed,
                         testing::Values(Axes{"method=lora"},
                                         Axes{"method=full", "mode=tuned", "accumulation=2"},
                                         Axes{"method=qlora", "precision=bf16", "parallel=single"},
                                         Axes{"method=dpo", "dataset=preference"},
                                         Axes{"parallel=fsdp"},
                                         Axes{"parallel=fsdp", "method=full"}),
                         [](const auto& one) { return "Way" + std::to_string(one.index); });

TEST(Resume, StatesAreSavedAfterEpochsUnlessAskedMoreOften) {
  const auto run = finetune({"rows=16", "epochs=3", "batch=4"});
  EXPECT_EQ(run.outcome.ok, 1U);
  if (!root()) return;
  EXPECT_EQ(run.sink.states.size(), 2U) << "the last epoch needs none";
}

TEST(Resume, AStateThatIsNotOfThisTrainingFailsTheCase) {
  const Axes axes{"rows=16", "steps=2", "save_every=1"};
  const auto whole = finetune(axes);
  const auto reason = [&](SessionOptions options, const auto& change) {
    std::optional<CaseState> state;
    if (root()) {
      state = whole.sink.states.at(0);
      change(*state);
    }
    const auto run = finetune(axes, std::move(options), state);
    EXPECT_EQ(run.outcome.failed, 1U);
    return root() ? run.result().reason : std::string();
  };
  const auto keep = [](CaseState&) {};
  const std::string damaged =
      reason({}, [](CaseState& state) { state.shared.resize(state.shared.size() / 2); });
  SessionOptions other;
  other.seed = 77;
  const std::string seed = reason(other, keep);
  if (!root()) return;
  EXPECT_THAT(damaged, HasSubstr("the checkpoint of this case"));
  EXPECT_THAT(seed, HasSubstr("the checkpoint is of seed"));
}

/// A training of its own on each rank, as if each held other parts of the parameters.
struct Alone {
  explicit Alone(bool lora) {
    torch::manual_seed(5);
    model = Llama(small_config(), torch::TensorOptions(torch::kFloat32));
    if (lora) add_lora(*model, {});
    parallelism->add(model);
    finetuner = std::make_unique<Finetuner>(
        model,
        FinetunerOptions{.adamw = {.learning_rate = 1e-2}, .warmup_steps = 2, .total_steps = 9},
        *parallelism);
  }
  void train(std::int64_t steps) {
    for (std::int64_t i = 0; i < steps; ++i) {
      const torch::Tensor tokens = (torch::arange(12) * (finetuner->steps() + 3)).remainder(31);
      const Examples batch{.tokens_bs = tokens.view({2, 6}),
                           .shifted_bs = tokens.roll(-1).view({2, 6})};
      history.loss.push_back(finetuner->step(std::vector{batch}, 12).loss);
    }
    for_each_record(history,
                    [&](const std::string&, auto& values) { values.resize(history.loss.size()); });
    history.communication.resize(history.loss.size());
  }
  Llama model{nullptr};
  std::unique_ptr<Parallelism> parallelism = make_single();
  std::unique_ptr<Finetuner> finetuner;
  History history;
};

TEST(State, GoesOnBitForBitSharedOrSharded) {
  for (const bool lora : {true, false}) {
    for (const bool sharded : {true, false}) {
      const TrainingSettings settings{.sharded = sharded};
      Alone whole(lora), first(lora), second(lora);
      whole.train(6);
      first.train(3);
      const auto state = pack_state(settings, *first.finetuner, first.history);
      EXPECT_EQ(state.shared.empty(), sharded);
      const auto again = [](const torch_support::NamedTensors& tensors) {
        return torch_support::from_safetensors(torch_support::to_safetensors(tensors), "state");
      };
      restore_state({again(state.shared), again(state.own)}, settings, *second.finetuner,
                    second.history);
      EXPECT_EQ(second.finetuner->steps(), 3);
      second.train(3);
      EXPECT_EQ(second.history.loss, whole.history.loss);
      EXPECT_EQ(torch_support::fingerprint(second.model->parameters()),
                torch_support::fingerprint(whole.model->parameters()));
    }
  }
}

TEST(Files, ATrainingStartsFromWeights) {
  const test::TempDir folder;
  SessionOptions options;
  options.data["weights"] = test::world().broadcast((folder / "w.safetensors").string());
  const LlamaConfig config = llama_config("tiny");
  if (root()) {
    const Llama model(config, torch::TensorOptions(torch::kBFloat16));
    torch_support::NamedTensors tensors;
    for (const auto& item : model->named_parameters())
      tensors[name_in_file(item.key(), Naming::hugging_face)] = item.value();
    tensors.at("lm_head.weight") = torch::zeros_like(tensors.at("lm_head.weight"));
    torch_support::write_safetensors(options.data["weights"], tensors);
  }
  test::world().barrier();
  const auto run = finetune({"start=weights", "steps=1"}, options);
  const std::uint64_t hash = WeightsFile(options.data["weights"], config).fingerprint();
  const auto wrong = finetune({"start=weights", "steps=1", "model=110m"}, options);
  test::world().barrier();  // before the folder goes
  const auto none = finetune({"start=weights", "steps=1"});
  EXPECT_EQ(wrong.outcome.failed, 1U);
  EXPECT_EQ(none.outcome.skipped, 1U);
  if (!root()) return;
  ASSERT_EQ(run.result().status, Status::ok) << run.result().reason;
  EXPECT_THAT(run.result().key, HasSubstr("start=weights"));
  EXPECT_NEAR(run.value("first_loss"), std::log(4096.0), 1e-5) << "no token is likelier";
  EXPECT_EQ(run.fact("weights"), torch_support::to_hex(hash));
  EXPECT_EQ(run.fact("weights_naming"), "hugging_face");
  EXPECT_THAT(wrong.result().reason, HasSubstr("is of shape"));
  EXPECT_THAT(none.result().reason, HasSubstr("--data weights=FILE"));
}

TEST(Files, AdaptersAreLeftInAFolderOfTheCase) {
  const test::TempDir folder;
  SessionOptions options;
  options.data["adapters"] = test::world().broadcast((folder / "adapters").string());
  const auto run = finetune({"steps=3", "parallel=fsdp"}, options);
  const auto full = finetune({"steps=1", "method=full"}, options);
  options.data["adapters"] = "/proc/none";
  const auto nowhere = finetune({"steps=1"}, options);
  EXPECT_EQ(full.outcome.ok, 1U);
  EXPECT_EQ(nowhere.outcome.failed, 1U);
  if (!root()) return;
  ASSERT_EQ(run.result().status, Status::ok) << run.result().reason;
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "adapters"))
    folders.push_back(entry.path());
  ASSERT_EQ(folders.size(), 1U) << "a training of all weights leaves none";
  EXPECT_THAT(folders[0].filename().string(), HasSubstr("lora-tiny-alpaca-"));
  EXPECT_TRUE(std::filesystem::exists(folders[0] / "adapter_config.json"));
  const auto adapters = torch_support::read_safetensors(folders[0] / "adapter_model.safetensors");
  ASSERT_EQ(adapters.size(), 4U * 6 * 2);
  std::vector<torch::Tensor> tensors;
  for (const auto& [name, tensor] : adapters) tensors.push_back(tensor);
  EXPECT_EQ(run.fact("adapters"), torch_support::to_hex(torch_support::fingerprint(tensors)));
  EXPECT_GT(adapters.at("base_model.model.model.layers.3.mlp.up_proj.lora_B.weight")
                .abs()
                .max()
                .item<float>(),
            0)
      << "trained";
  EXPECT_THAT(nowhere.result().reason, HasSubstr("--data adapters=/proc/none"));
}

}  // namespace
}  // namespace scalemark::llm
