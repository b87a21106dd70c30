// SPDX-License-Identifier: Apache-2.0
// Kernels of the LLM suite against the same on the host, generation with its cache, and steps
// through CUDA graphs against those without.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "common/device/device.hpp"
#include "common/torch/step_graph.hpp"
#include "suites/llm/generate/generator.hpp"
#include "suites/llm/generate/generator_check.hpp"
#include "suites/llm/kernels/device_kernels.hpp"
#include "suites/llm/model/fused_ops.hpp"
#include "suites/llm/quant/fake_quant.hpp"
#include "suites/llm/quant/nf4.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/llm/train/step.hpp"

namespace scalemark::llm {
namespace {

const torch::Device kGpu(torch::kCUDA, 0);

class LlmGpu : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (device::cuda_device_count(&why) == 0) GTEST_SKIP() << why;
    torch::manual_seed(11);
  }
};

double tolerance_of(torch::ScalarType type) {
  return type == torch::kDouble ? 1e-12 : type == torch::kFloat32 ? 1e-5 : 2e-2;
}

void expect_close(const torch::Tensor& got, const torch::Tensor& want, const std::string& what) {
  const double tolerance = tolerance_of(want.scalar_type());
  EXPECT_TRUE(torch::allclose(got.cpu(), want, tolerance, tolerance)) << what;
}

TEST_F(LlmGpu, SwigluAndRotaryPositionsAreThoseOfTheHost) {
  for (const auto type : {torch::kDouble, torch::kFloat32, torch::kBFloat16, torch::kFloat16}) {
    for (const std::int64_t width : {64, 67}) {  // 67: no wide accesses
      const torch::Tensor gate = torch::randn({3, 5, width}, type), up = torch::randn_like(gate),
                          dy = torch::randn_like(gate);
      const auto with = [&](const torch::Device& device) {
        const torch::Tensor g = gate.to(device).requires_grad_(),
                            u = up.to(device).requires_grad_();
        const torch::Tensor y = fused_swiglu(g, u);
        auto results = torch::autograd::grad({y}, {g, u}, {dy.to(device)});
        results.push_back(y.detach());
        return results;
      };
      const auto host = with(torch::kCPU), device = with(kGpu);
      for (std::size_t i = 0; i < host.size(); ++i)
        expect_close(device[i], host[i], std::string(toString(type)) + " " + std::to_string(i));
    }
    const torch::Tensor flat = torch::randn({3 * 5 * 64 + 1}, type);  // no multiple of 16 bytes
    const auto within = [](const torch::Tensor& all) {
      return all.narrow(0, 1, all.size(0) - 1).view({3, 5, 64});
    };
    const torch::Tensor on_gpu = within(flat.to(kGpu)), on_host = within(flat);
    expect_close(fused_swiglu(on_gpu, on_gpu), fused_swiglu(on_host, on_host), "not aligned");
    const LlamaConfig config = llama_config("tiny");
    const auto options = torch::TensorOptions().dtype(type);
    const torch::Tensor table = rotation_table(config, 9, options);
    const torch::Tensor x = torch::randn({2, 9, config.heads, config.head_dim()}, type);
    const torch::Tensor rows = table.index({torch::randint(9, {2, 9}, torch::kLong)});
    for (const torch::Tensor& rotation : {table, rows}) {
      const auto turned = [&](const torch::Device& device) {
        const torch::Tensor input = x.to(device).requires_grad_();
        const torch::Tensor y = fused_rotate(input, rotation.to(device));
        return std::vector{y.detach(), torch::autograd::grad({y.sum()}, {input})[0]};
      };
      const auto host = turned(torch::kCPU), device = turned(kGpu);
      for (std::size_t i = 0; i < host.size(); ++i) expect_close(device[i], host[i], "rotate");
    }
  }
}

TEST_F(LlmGpu, QuantisedValuesAreBitForBitThoseOfTheHost) {
  for (const auto type : {torch::kDouble, torch::kFloat32, torch::kBFloat16}) {
    const Nf4Tensor host = quantise_nf4(torch::randn({128, 256}, type));
    const Nf4Tensor device{host.packed.to(kGpu), host.scalers.to(kGpu),  host.factors.to(kGpu),
                           host.mean.to(kGpu),   host.codebook.to(kGpu), host.shape};
    EXPECT_TRUE(torch::equal(dequantise(device).cpu(), dequantise(host))) << toString(type);
  }
  for (const auto type : {torch::kFloat32, torch::kBFloat16}) {
    const torch::Tensor w = torch::randn({64, 512}, type), x = torch::randn({7, 512}, type);
    for (const std::int64_t group : {32, 256}) {
      EXPECT_TRUE(torch::equal(fake_quantise_weight(w.to(kGpu), {.group = group}).cpu(),
                               fake_quantise_weight(w, {.group = group})))
          << toString(type) << group;
    }
    EXPECT_TRUE(torch::equal(fake_quantise_tokens(x.to(kGpu)).cpu(), fake_quantise_tokens(x)));
    torch::Tensor ones = torch::ones_like(x, x.options().device(kGpu));
    device_kernels::mask_token_gradient(ones, x.to(kGpu));
    EXPECT_TRUE(torch::equal(ones.cpu().to(torch::kBool), examine_tokens(x).inside));
  }
}

/// Losses of steps of `method` on batches of two widths.
std::vector<double> losses(Method method, torch::ScalarType type, bool graphs, bool packed) {
  torch::manual_seed(12);
  const LlamaConfig config = llama_config("tiny");
  Llama model = make_method_model(method, config, torch::TensorOptions().device(kGpu).dtype(type));
  model->train();
  model->fuse(true);
  const auto parallelism = make_replicas({});
  parallelism->add(model);
  Finetuner finetuner(model, {.adamw = {.learning_rate = 1e-3}, .clip = 1}, *parallelism,
                      make_objective(method, model, /*fused=*/true));
  if (graphs) {
    finetuner.record([](const torch_support::StepGraph* beside) {
      return torch_support::make_step_graph(kGpu, beside);
    });
  }
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) {
    const std::int64_t width = i % 3 == 0 ? 64 : 128;
    Examples examples;
    examples.tokens_bs = torch::randint(config.vocab_size, {4, width}, torch::kLong).to(kGpu);
    examples.shifted_bs = examples.tokens_bs.roll(-1, 1);
    examples.labels = 4 * width;
    examples.pairs = compares_answers(method) ? 2 : 0;
    if (packed) {
      examples.packing = make_packing({4, {width / 2, width / 2}}).to(kGpu);
    }
    values.push_back(
        finetuner.step(std::vector{examples}, finetuner.objective().count(examples)).loss);
  }
  if (graphs) {
    EXPECT_EQ(finetuner.graphs(), 3) << "two widths and the update";
  }
  return values;
}

TEST_F(LlmGpu, RecordedStepsAreThoseWithoutAGraph) {
  for (const Method method : {Method::lora, Method::qlora, Method::dpo, Method::qat}) {
    for (const auto type : {torch::kFloat32, torch::kBFloat16}) {
      for (const bool packed : {false, true}) {
        if (packed && compares_answers(method)) continue;  // pairs are padded
        const std::vector<double> plain = losses(method, type, false, packed),
                                  recorded = losses(method, type, true, packed);
        for (std::size_t i = 0; i < plain.size(); ++i) {
          EXPECT_NEAR(recorded[i], plain[i], 2e-2 * std::abs(plain[i]))
              << static_cast<int>(method) << toString(type) << packed << " " << i;
        }
      }
    }
  }
}

TEST_F(LlmGpu, AttentionBySequencesIsThatWithAMask) {
  const LlamaConfig config = llama_config("tiny");
  Llama model(config, torch::TensorOptions().device(kGpu).dtype(torch::kBFloat16));
  const torch::Tensor tokens = torch::randint(config.vocab_size, {2, 64}, torch::kLong).to(kGpu);
  const Packing packing = make_packing({{20, 44}, {1, 30, 33}}).to(kGpu);
  const torch::NoGradGuard no_grad;
  const torch::Tensor with_mask = model->forward_at(tokens, model->packed_positions(packing));
  model->fuse(true);
  const Positions positions = model->packed_positions(packing);
  EXPECT_TRUE(positions.starts.defined());
  expect_close(model->forward_at(tokens, positions), with_mask.cpu(), "logits");
}

TEST_F(LlmGpu, TheCacheChangesNoLogits) {
  for (const auto type : {torch::kDouble, torch::kFloat32, torch::kBFloat16, torch::kFloat16}) {
    SCOPED_TRACE(toString(type));
    const LlamaConfig config = llama_config("tiny");
    const auto options = torch::TensorOptions().device(kGpu).dtype(type);
    Generator generator(config, {.batch = 3, .capacity = 65, .seed = 2, .tensors = options});
    const torch::Tensor tokens = torch::randint(config.vocab_size, {3, 65}, torch::kLong).to(kGpu);
    generator.next(tokens);
    EXPECT_EQ(check_generator(generator, tokens, generator.logits()).wrong, 0U);
  }
}

TEST_F(LlmGpu, ARecordedTokenIsThatWithoutAGraph) {
  const LlamaConfig config = llama_config("tiny");
  const auto options = torch::TensorOptions().device(kGpu).dtype(torch::kBFloat16);
  Generator generator(config, {.batch = 3, .capacity = 65, .seed = 2, .tensors = options});
  const torch::Tensor tokens = torch::randint(config.vocab_size, {3, 65}, torch::kLong).to(kGpu);
  generator.next(tokens.narrow(1, 0, 64));
  torch::Tensor next, last = tokens.narrow(1, 64, 1).contiguous();
  const auto decode = [&] {
    generator.shorten(64);
    next = generator.next(last);
  };
  const auto graph = torch_support::make_step_graph(kGpu);
  graph->warm_up(decode);
  graph->capture(decode);
  const torch::Tensor recorded_logits = generator.logits(), recorded_next = next;
  for (const std::int64_t word : {7, 1000}) {
    last.fill_(word);
    graph->launch();
    const torch::Tensor logits = recorded_logits.cpu(), chosen = recorded_next.cpu();
    decode();
    expect_close(generator.logits(), logits, std::to_string(word));
    EXPECT_TRUE(torch::equal(next.cpu(), chosen));
  }
}

}  // namespace
}  // namespace scalemark::llm
