// SPDX-License-Identifier: Apache-2.0
// Generation with a cache against the model without it, and models shared by ranks against whole
// ones.
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"
#include "suites/llm/generate/generator.hpp"
#include "suites/llm/generate/generator_check.hpp"
#include "tests/suites/llm/small_config.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::llm {
namespace {

const torch::TensorOptions kDouble{torch::kDouble};

/// Word by word, from a prompt of 5 tokens.
std::vector<std::int64_t> answer(Generator& generator, const torch::Tensor& prompt_bs) {
  std::vector<std::int64_t> words;
  torch::Tensor tokens = prompt_bs;
  generator.shorten(0);
  for (int i = 0; i < 8; ++i) {
    tokens = generator.next(tokens);
    for (std::int64_t row = 0; row < tokens.size(0); ++row)
      words.push_back(tokens[row][0].item<std::int64_t>());
  }
  return words;
}

/// As a case does: the last word is timed, then checked.
Case::Checked check(Generator& generator, const torch::Tensor& tokens_bs) {
  generator.shorten(0);
  generator.next(tokens_bs.narrow(1, 0, tokens_bs.size(1) - 1));
  generator.next(tokens_bs.narrow(1, tokens_bs.size(1) - 1, 1));
  return check_generator(generator, tokens_bs, generator.logits());
}

struct GeneratorRanks : testing::Test {
  Generator make(LlamaConfig config, bool shared, std::uint64_t seed = 3) const {
    return Generator(config, {.batch = 2,
                              .capacity = 16,
                              .seed = seed,
                              .tensors = kDouble,
                              .group = shared ? group : nullptr});
  }

  const int size = test::world().size();
  std::unique_ptr<device::Device> host = device::make_host_device();
  std::unique_ptr<collective::Communicator> comm =
      collective::make_mpi_communicator(test::world(), *host);
  torch_support::ProcessGroupPtr group = torch_support::make_mpi_process_group(*comm);
  const torch::Tensor prompt = torch::tensor({{3, 1, 4, 1, 5}, {9, 2, 6, 5, 3}});
};

/// The answer is what the model without a cache finds most likely behind all words so far.
TEST_F(GeneratorRanks, TheCacheChangesNoWord) {
  Generator generator = make(medium_config(), false);
  const std::vector<std::int64_t> words = answer(generator, prompt);
  torch::Tensor all = prompt;
  const torch::NoGradGuard no_grad;
  Llama model = generator.model();
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const torch::Tensor next = model(all).select(1, all.size(1) - 1).argmax(1, true);
    EXPECT_EQ(next[0].item<std::int64_t>(), words[i]);
    EXPECT_EQ(next[1].item<std::int64_t>(), words[i + 1]);
    all = torch::cat({all, next}, 1);
  }
}

TEST_F(GeneratorRanks, RanksThatShareAModelAnswerAsOneThatHasItWhole) {
  LlamaConfig tied = medium_config();
  tied.tied_output = true;
  for (const LlamaConfig& config : {medium_config(), tied}) {
    Generator whole = make(config, false), shared = make(config, true);
    EXPECT_EQ(answer(shared, prompt), answer(whole, prompt));
    const std::int64_t words = config.vocab_size / size, first = test::world().rank() * words;
    EXPECT_EQ(shared.logits().size(1), words);
    EXPECT_LT((shared.logits() - whole.logits().narrow(1, first, words)).abs().max().item<double>(),
              1e-12);
  }
}

TEST_F(GeneratorRanks, ARankHasItsPartOfTheParametersOnly) {
  for (const bool is_tied : {false, true}) {
    LlamaConfig config = medium_config();
    config.tied_output = is_tied;
    const Generator shared = make(config, true);
    std::int64_t count = 0;
    for (const torch::Tensor& parameter : shared.model()->parameters()) count += parameter.numel();
    EXPECT_EQ(count, count_parameters(shared_by(config, size)).total);
    if (size > 1) {
      EXPECT_LT(count, count_parameters(config).total * 3 / 4);
    }
  }
}

TEST_F(GeneratorRanks, TheCheckPasses) {
  for (const bool shared : {false, true}) {
    Generator generator = make(medium_config(), shared);
    const Case::Checked checked = check(generator, prompt);
    EXPECT_EQ(checked.checked, shared ? 4U : 2U);
    EXPECT_EQ(checked.wrong, 0U);
  }
}

/// A layer of other weights, and on several ranks partial sums in place of sums.
TEST_F(GeneratorRanks, TheCheckFindsASharedLayerThatIsNotTheWholeOne) {
  for (const bool weights : {true, false}) {
    if (!weights && size == 1) continue;
    Generator generator = make(medium_config(), true);
    DecoderLayer first = generator.model()->layer(0);
    if (weights) {
      const torch::NoGradGuard no_grad;
      first->parameters().front()[0][0] += 0.1;
    } else {
      first->sum_parts({});
    }
    EXPECT_EQ(check(generator, prompt).wrong, 1U);
  }
}

/// Layers that are right for a prompt and wrong for one token: both results from the cache are.
TEST_F(GeneratorRanks, TheCheckFindsWrongTokens) {
  Generator generator = make(medium_config(), false);
  DecoderLayer first = generator.model()->layer(0);
  first->sum_parts(
      [](const torch::Tensor& part) { return part.size(1) == 1 ? part * 1.001 : part; });
  EXPECT_EQ(check(generator, prompt).wrong, 2U);
}

TEST_F(GeneratorRanks, TheCheckFindsTimedWorkThatIsNotTheTokens) {
  Generator generator = make(medium_config(), false);
  generator.next(prompt.flip(1));
  EXPECT_EQ(check_generator(generator, prompt, generator.logits()).wrong, 1U);
}

TEST_F(GeneratorRanks, SeedsGiveOtherAnswers) {
  Generator one = make(medium_config(), false, 3), other = make(medium_config(), false, 4);
  EXPECT_NE(answer(one, prompt), answer(other, prompt));
}

template <typename Failure>
void expect_error(const std::string& text, const auto& call) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Failure& error) {
    EXPECT_EQ(std::string(error.what()), text);
  }
}

TEST_F(GeneratorRanks, WhatCannotBeDoneIsNamed) {
  Generator generator = make(medium_config(), false);
  generator.next(prompt);
  expect_error<Error>("5 tokens were given behind 5; allowed there: 1",
                      [&] { generator.next(prompt); });
  generator.shorten(0);
  const torch::Tensor full = torch::ones({2, 16}, torch::kInt64);
  generator.next(full);
  expect_error<Error>("1 tokens do not fit behind 16 in a cache for 16",
                      [&] { generator.next(full.narrow(1, 0, 1)); });
  expect_error<InputError>(
      "tensor parallelism: 3 ranks cannot share kv_heads 2, ffn_dim 48 and vocab_size 64 equally",
      [] { shared_by(medium_config(), 3); });
}

}  // namespace
}  // namespace scalemark::llm
