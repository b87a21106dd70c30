// SPDX-License-Identifier: Apache-2.0
// Trajectories of torchtune and torchao through the Finetuner, with either kind of loss.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "suites/llm/golden/golden_checks.hpp"
#include "suites/llm/golden/golden_model.hpp"
#include "suites/llm/quant/qat.hpp"
#include "suites/llm/quant/qlora.hpp"
#include "tests/suites/llm/follow.hpp"
#include "tests/suites/llm/golden_support.hpp"

namespace scalemark::llm {
namespace {

/// A model of the golden file of quantisation.
struct GoldenPart {
  nlohmann::json json;
  golden::Field file, part;
  GoldenModel golden;

  /// The first of a list.
  explicit GoldenPart(const std::string& name)
      : json(golden_file("quant.json")),
        file(json),
        part(json[name].is_array() ? file[name][0] : file[name]),
        golden(file, part, tokens(), labels(), "cpu") {}
  torch::Tensor tokens() const {
    return read_tokens(part["tokens"], read_config(part["config"]),
                       static_cast<std::uint64_t>(file["seed"].integer()), nullptr);
  }
  torch::Tensor labels() const {
    return read_labels(part["labels"], read_config(part["config"]), tokens());
  }
  Examples examples() const { return examples_of(golden.tokens_bs(), golden.shifted_bs()); }
  FinetunerOptions options() const { return {.adamw = read_optimizer(part["optimizer"])}; }
};

TEST(FinetunerGolden, LoraAndFullFollowTorchtune) {
  const OneThread one_thread;
  const nlohmann::json json = golden_file("llama.json");
  const golden::Field file(json);
  const GoldenModel golden(file, "cpu");
  const Examples examples = examples_of(golden.tokens_bs(), golden.shifted_bs());
  const golden::Field lora = file["lora"], full = file["base"]["full_fine_tuning"];
  const LoraConfig config = read_lora(lora, golden.config());
  for (const bool fused : {false, true}) {
    const Followed adapted =
        follow(golden.with_lora(kFp64, config, read_tensors(lora["adapters"]), false), examples,
               {.adamw = read_optimizer(lora["optimizer"])}, 5, language_modelling(fused));
    expect_near(adapted.losses, lora["losses_fp64"].numbers(), 1e-10, "lora losses");
    expect_near(adapted.norms, lora["gradient_norms_fp64"].numbers(), 1e-10, "lora norms");
    const Followed all =
        follow(golden.base(kFp64), examples, {.adamw = read_optimizer(full["optimizer"])}, 5,
               language_modelling(fused));
    expect_near(all.losses, full["losses_fp64"].numbers(), 1e-10, "full losses");
    expect_near(all.norms, full["gradient_norms_fp64"].numbers(), 1e-10, "full norms");
  }
}

TEST(FinetunerGolden, QloraFollowsTorchtune) {
  const OneThread one_thread;
  const GoldenPart q("qlora_model");
  for (const bool fused : {false, true}) {
    Llama model = q.golden.base(kFp64);
    quantise_base(*model);
    add_lora(*model, read_lora(q.part, q.golden.config()));
    q.golden.fill_adapters(model);
    const Followed got = follow(model, q.examples(), q.options(), 5, language_modelling(fused));
    expect_near(got.losses, q.part["losses_fp64"].numbers(), 1e-9, "losses");
    expect_near(got.norms, q.part["gradient_norms_fp64"].numbers(), 1e-9, "norms");
  }
}

TEST(FinetunerGolden, QatFollowsTorchaoWithEitherLoss) {
  const OneThread one_thread;
  const GoldenPart q("qat_model");
  for (const bool fused : {false, true}) {
    Llama model = q.golden.base(kFp32);
    prepare_qat(*model, {.group = q.part["group_size"].integer()});
    ASSERT_TRUE(model->head()->base_product()) << "the head is fake-quantised too";
    const Followed got = follow(model, q.examples(), q.options(), 5, language_modelling(fused));
    const Values want = q.part["losses_fp32"].numbers();
    EXPECT_NEAR(got.losses[0], want[0], 2e-3 * want[0]);
    expect_near(got.losses, want, 0.05, "losses");
    EXPECT_NEAR(got.norms[0], q.part["gradient_norms_fp32"].numbers()[0], 0.01 * got.norms[0]);
  }
}

TEST(FinetunerGolden, DpoFollowsTorchtune) {
  const OneThread one_thread;
  const nlohmann::json json = golden_file("dpo.json");
  const golden::Field file(json), part = file["model"], steps = part["steps_fp64"];
  const auto rows = [&](const char* name) {
    const golden::Field list = part[name];
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (const std::int64_t id : list[i].integers()) ids.push_back(id);
    }
    return torch::tensor(ids).view({static_cast<std::int64_t>(list.size()), -1});
  };
  const torch::Tensor tokens = rows("tokens"), labels = rows("labels");
  const GoldenModel golden(file, part, tokens, labels, "cpu");
  Examples examples = examples_of(tokens, shift_labels(labels));
  examples.pairs = tokens.size(0) / 2;
  for (const bool fused : {false, true}) {
    Llama model = golden.base(kFp64);
    add_lora(*model, read_lora(part, golden.config()));
    golden.fill_adapters(model);
    const Followed got =
        follow(model, examples, {.adamw = read_optimizer(part["optimizer"])}, steps.size(),
               std::make_unique<Preference>(DpoOptions{.beta = part["beta"].number()}, fused));
    EXPECT_NEAR(got.losses[0], std::log(2.0), 1e-15);
    const auto mean = [](const Values& values) {
      double sum = 0;
      for (const double value : values) sum += value;
      return sum / static_cast<double>(values.size());
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const golden::Field want = steps[i];
      EXPECT_NEAR(got.losses[i], want["loss"].number(), 1e-11);
      expect_near(got.observed[i],
                  {mean(want["chosen_rewards"].numbers()), mean(want["rejected_rewards"].numbers()),
                   want["margin"].number(), want["accuracy"].number()},
                  1e-11, "observed");
    }
  }
}

}  // namespace
}  // namespace scalemark::llm
