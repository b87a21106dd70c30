// SPDX-License-Identifier: Apache-2.0
// Single operations of a training step as `scalemark run` runs them.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "suites/micro/compute/cache_state.hpp"
#include "suites/micro/compute/operation.hpp"
#include "tests/support/called_operators.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::micro {
namespace {

using test::root;

/// The arguments of small cases, which run in every precision.
const std::vector<std::pair<const char*, std::vector<std::string>>> kSmall = {
    {"micro/normalization", {"channels=24", "rows=64", "layout=nhwc,nchw", "fused=false,true"}},
    {"micro/attention", {"model=tiny,110m", "batch=2", "sequence=17"}},
    {"micro/cross_entropy", {"kind=token,sequence", "vocabulary=101", "tokens=9"}},
    {"micro/elementwise",
     {"operation=swiglu,rotary,add,scaled_add,accumulate", "model=tiny", "tokens=12",
      "width=dim,kv,ffn", "fused=false,true"}},
    {"micro/embedding", {"model=tiny", "tokens=33"}},
    {"micro/classifier", {"image=33,100", "batch=3", "layout=nhwc,nchw"}}};

double numerator(const CaseResult& result, const char* metric) {
  const Metric* const found = result.find(metric);
  return found == nullptr ? 0 : found->numerator;
}

/// Of a case whose primary metric is its rate, bandwidth is a fact only.
double moved(const CaseResult& result) {
  const double bytes = numerator(result, "bandwidth");
  const auto* const stated = find_as<std::int64_t>(result.facts, "moved_bytes");
  return bytes > 0 || stated == nullptr ? bytes : static_cast<double>(*stated);
}

/// What a roofline takes is what the case stated.
void expect_declared_work(const CaseResult& result) {
  const Benchmark& benchmark = *Registry::instance().find(result.name);
  const auto work = benchmark.work_for(benchmark.with_implied(result.params));
  ASSERT_TRUE(work.has_value()) << result.name;
  EXPECT_DOUBLE_EQ(work->flops, numerator(result, "achieved_flops")) << result.key;
  const auto moved = result.facts.find("moved_bytes");
  const double bytes = numerator(result, "bandwidth");
  if (bytes > 0)
    EXPECT_DOUBLE_EQ(work->bytes, bytes) << result.key;
  else
    EXPECT_EQ(std::to_string(static_cast<std::int64_t>(work->bytes)), to_text(moved->second));
}

TEST(Operations, AreRightInEveryPrecisionAndDirection) {
  for (const auto& [name, axes] : kSmall) {
    std::vector<std::string> all = axes;
    all.insert(all.end(), {"device=cpu", "pass=forward,forward_train,backward,train",
                           "precision=fp64,fp32,bf16,fp16"});
    const auto results = test::run_cases(name, all, 1);
    if (!root()) continue;
    EXPECT_GE(results.size(), 8U) << name;
    for (const CaseResult& result : results) {
      const bool wants_fused = result.key.find("fused=true") != std::string::npos &&
                               name == std::string("micro/normalization");
      if (wants_fused && result.status == Status::skipped) {
        EXPECT_THAT(result.reason, testing::HasSubstr("fp32 and fp64 in layout nhwc"));
        continue;
      }
      EXPECT_EQ(result.status, Status::ok) << result.key << ": " << result.reason;
      EXPECT_EQ(result.verification.wrong, 0U) << result.key;
      EXPECT_GT(result.verification.checked, 1U) << result.key;
      expect_declared_work(result);
    }
  }
}

TEST(Operations, DeclareWhatTheyCount) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> others = {
      {"micro/conv2d",
       {"layer=stem,depthwise8", "pass=forward,backward,train", "image=33", "batch=3"}},
      {"micro/gemm", {"shape=square,gate", "rows=24", "model=8b,tiny", "precision=fp64,fp32"}},
      {"micro/gemm",
       {"shape=key_value", "rows=24", "model=tiny", "batch=4,24", "reuse_distance=0,1M",
        "product=forward,input_gradient", "device=cpu", "precision=fp64,fp32,bf16"}},
      {"micro/optimizer", {"parameters=1000", "tensors=3"}},
      {"micro/quantized_linear", {"model=tiny", "shape=query", "rows=7", "pass=forward,train"}},
      {"micro/stream", {"bytes=4K", "dtype=fp64,fp32"}}};
  for (const auto& [name, axes] : others) {
    const auto results = test::run_cases(name, axes, 1);
    if (!root()) continue;
    EXPECT_GE(results.size(), 2U) << name;
    for (const CaseResult& result : results) {
      EXPECT_EQ(result.status, Status::ok) << result.key << ": " << result.reason;
      expect_declared_work(result);
    }
  }
}

/// LibTorch's product of parts of the rows with one weight.
TEST(Operations, AProductMayBeOfABatch) {
  const std::vector<test::CalledOperator> called = test::called_operators([] {
    test::run_cases("micro/gemm",
                    {"shape=key_value", "model=tiny", "rows=24", "batch=4",
                     "product=input_gradient", "device=cpu", "precision=fp32"},
                    1);
  });
  using Sizes = std::vector<std::vector<std::int64_t>>;
  const auto product = std::ranges::find(called, "aten::bmm", &test::CalledOperator::name);
  ASSERT_NE(product, called.end());
  EXPECT_EQ(Sizes(product->sizes.begin(), product->sizes.begin() + 2),
            (Sizes{{4, 6, 64}, {4, 64, 256}}));
}

TEST(Operations, BatchesArePartsOfTheRows) {
  const auto cases = [](const std::string& batch, const std::string& more) {
    return test::run_cases("micro/gemm",
                           {"shape=square", "model=8b", "rows=24", "device=cpu", batch, more}, 1)
        .size();
  };
  const std::size_t five = cases("batch=1,4,5,24,48", "precision=fp32"),
                    weights = cases("batch=1,4", "product=input_gradient,weight_gradient"),
                    small = cases("batch=4", "precision=fp16,fp8,fp4");
  if (!root()) return;
  EXPECT_EQ(five, 3U) << "24 rows are neither five equal parts nor 48";
  EXPECT_EQ(weights, 3U) << "its weight is one";
  EXPECT_EQ(small, 1U);
}

/// In place, so that a training keeps a copy of what is overwritten.
TEST(Operations, Relu6IsThatOfTheNetwork) {
  const auto calls_of = [](const std::string& pass) {
    std::map<std::string, int> calls;
    for (const test::CalledOperator& called : test::called_operators([&] {
           test::run_cases("micro/normalization",
                           {"kind=batch_relu6", "channels=3", "rows=8", "images=2", "device=cpu",
                            "precision=fp32", "fused=false", "pass=" + pass},
                           1);
         }))
      ++calls[called.name];
    EXPECT_GT(calls["aten::relu6_"], 2);
    EXPECT_EQ(calls["aten::relu6"], 0);
    return calls;
  };
  std::map<std::string, int> training = calls_of("forward_train"), inference = calls_of("forward");
  EXPECT_GE(training["aten::clone"], training["aten::relu6_"]);
  EXPECT_LT(inference["aten::clone"], inference["aten::relu6_"]);
}

/// In a step other memory is used between two calls.
TEST(Operations, ReadOtherMemoryBeforeEachCall) {
  const auto results = test::run_cases(
      "micro/normalization",
      {"channels=8", "rows=32", "images=2", "device=cpu", "kind=batch", "precision=fp32",
       "pass=forward,forward_train,backward,train", "reuse_distance=0,1M", "cache=hot,cold"},
      1);
  if (!root()) return;
  std::map<std::string, int> flushed;
  for (const CaseResult& result : results) {
    EXPECT_EQ(result.status, Status::ok) << result.key << ": " << result.reason;
    const auto* const bytes = find_as<std::int64_t>(result.facts, "cache_flushed");
    if (result.params.integer("reuse_distance") == 0) continue;
    EXPECT_EQ(result.params.text("cache"), "hot");
    ASSERT_NE(bytes, nullptr) << result.key;
    EXPECT_EQ(*bytes, 1 << 20);
    EXPECT_NE(result.find("local_time"), nullptr) << "one call a sample";
    ++flushed[result.params.text("pass")];
  }
  EXPECT_EQ(flushed,
            (std::map<std::string, int>{{"backward", 2}, {"forward", 2}, {"forward_train", 2}}));
}

/// Elements of an operation's tensors: arguments, result, and gradients of arguments that have
/// some.
struct Elements {
  std::vector<std::string> axes;
  double arguments, result, gradients;
};

/// Backward reads all arguments and the result's gradient again; a sum hands that on as it is.
TEST(Operations, MoveEachOfTheirTensorsOnce) {
  const std::vector<std::pair<const char*, Elements>> cases = {
      {"micro/normalization",
       {{"kind=batch", "channels=24", "rows=64"}, 1536 + 48, 1536, 1536 + 48}},
      {"micro/normalization", {{"kind=rms", "channels=8", "rows=32"}, 256 + 8, 256, 256 + 8}},
      // Labels have eight bytes.
      {"micro/cross_entropy", {{"vocabulary=101", "tokens=9"}, 909 + 18, 9, 909}},
      {"micro/elementwise",
       {{"operation=swiglu", "model=tiny", "tokens=12"}, 2 * 12 * 704, 12 * 704, 2 * 12 * 704}},
      {"micro/elementwise",
       {{"operation=rotary", "model=tiny", "tokens=12"}, 12 * 256, 12 * 256, 12 * 256}},
      // Queries of 256 elements a token, keys and values of 64.
      {"micro/attention", {{"model=tiny", "batch=2", "sequence=17"}, 34 * 384, 34 * 256, 34 * 384}},
      // Weights in NF4 are no argument with a gradient.
      {"micro/quantized_linear",
       {{"kind=nf4", "model=tiny", "shape=query", "rows=7"}, 7 * 256, 7 * 256, 7 * 256}},
      {"micro/quantized_linear",
       {{"kind=fake_quant", "model=tiny", "shape=query", "rows=7"},
        7 * 256 + 65536,
        7 * 256,
        7 * 256 + 65536}}};
  for (const auto& [name, of] : cases) {
    std::vector<std::string> axes = of.axes;
    axes.insert(axes.end(), {"pass=forward,backward,train", "device=cpu", "precision=fp32"});
    const auto results = test::run_cases(name, axes, 1);
    if (!root()) continue;
    const double forward = 4 * (of.arguments + of.result), backward = forward + 4 * of.gradients;
    const std::map<std::string, double> bytes{
        {"forward", forward}, {"backward", backward}, {"train", forward + backward}};
    ASSERT_GE(results.size(), 3U) << name;
    for (const CaseResult& result : results)
      EXPECT_DOUBLE_EQ(moved(result), bytes.at(result.params.text("pass"))) << result.key;
  }
}

TEST(Operations, SumsHandTheirGradientsOn) {
  const auto results =
      test::run_cases("micro/elementwise",
                      {"operation=add,scaled_add", "model=tiny", "tokens=12",
                       "pass=forward,backward,train", "device=cpu", "precision=fp32"},
                      1);
  const auto larger = test::run_cases(
      "micro/elementwise", {"operation=add", "elements=1000", "pass=forward", "device=cpu"}, 1);
  if (!root()) return;
  const double once = 4 * 12 * 256;
  std::map<std::string, double> tensors;
  for (const CaseResult& one : results)
    tensors[one.params.text("operation") + " " + one.params.text("pass")] =
        numerator(one, "bandwidth") / once;
  EXPECT_EQ(tensors, (std::map<std::string, double>{{"add forward", 3},
                                                    {"add train", 3},
                                                    {"scaled_add forward", 3},
                                                    {"scaled_add backward", 2},
                                                    {"scaled_add train", 5}}));
  ASSERT_EQ(larger.size(), 1U) << "whatever the axes of tokens are";
  EXPECT_DOUBLE_EQ(numerator(larger[0], "bandwidth"), 3 * 4 * 1000);
}

TEST(Operations, StateTheirTraffic) {
  const auto results = test::run_cases(
      "micro/normalization",
      {"kind=rms", "channels=8", "rows=32", "pass=forward,train", "device=cpu", "precision=fp32"},
      1);
  if (!root()) return;
  ASSERT_EQ(results.size(), 2U);
  const double once = 4.0 * (2 * 32 * 8 + 8), gradients = 4.0 * (32 * 8 + 8);
  EXPECT_DOUBLE_EQ(numerator(results[0], "bandwidth"), once);
  EXPECT_DOUBLE_EQ(numerator(results[1], "bandwidth"), 2 * once + gradients);
  EXPECT_EQ(results[0].primary_metric, "bandwidth");
}

TEST(QuantizedLinear, IsRightHoweverItIsComputed) {
  const auto results = test::run_cases(
      "micro/quantized_linear",
      {"kind=nf4,fake_quant", "model=tiny", "shape=query,gate", "rows=33",
       "pass=forward,backward,train", "fused=false,true", "precision=fp32,bf16", "device=cpu"},
      1);
  if (!root()) return;
  EXPECT_EQ(results.size(), 48U);
  for (const CaseResult& result : results) {
    EXPECT_EQ(result.status, Status::ok) << result.key << ": " << result.reason;
    EXPECT_EQ(result.verification.wrong, 0U) << result.key;
    EXPECT_GT(result.verification.checked, 33U * 256) << result.key;
  }
}

/// Two products with gradients of inputs, three where weights are trained.
TEST(QuantizedLinear, CountsItsProducts) {
  const auto results =
      test::run_cases("micro/quantized_linear",
                      {"kind=nf4,fake_quant", "model=tiny", "shape=query", "rows=8",
                       "pass=forward,backward,train", "precision=fp32", "device=cpu"},
                      1);
  if (!root()) return;
  ASSERT_EQ(results.size(), 6U);
  const double once = 2.0 * 8 * 256 * 256;
  std::map<double, int> products;
  for (const CaseResult& result : results) ++products[numerator(result, "achieved_flops") / once];
  EXPECT_EQ(products, (std::map<double, int>{{1, 3}, {2, 2}, {3, 1}}));
}

TEST(Embedding, CountsTheRowsThatItTouches) {
  const auto results = test::run_cases(
      "micro/embedding",
      {"model=tiny", "tokens=10", "pass=forward,train", "device=cpu", "precision=fp64"}, 1);
  if (!root()) return;
  ASSERT_EQ(results.size(), 2U);
  const double forward = numerator(results[0], "bandwidth"),
               train = numerator(results[1], "bandwidth");
  const double row = forward / 20;
  EXPECT_EQ(std::fmod(row, 8), 0);
  EXPECT_GT((train - forward) / row, 10 + 100) << "the gradient of the whole table is written";
}

TEST(Attention, CountsAllScores) {
  const auto results =
      test::run_cases("micro/attention",
                      {"model=1b", "batch=1", "sequence=8", "pass=forward,backward,train",
                       "device=cpu", "precision=fp32"},
                      1);
  if (!root()) return;
  ASSERT_EQ(results.size(), 3U);
  EXPECT_DOUBLE_EQ(numerator(results[0], "achieved_flops"), 4.0 * 8 * 8 * 2048);
  EXPECT_DOUBLE_EQ(numerator(results[1], "achieved_flops"), 8.0 * 8 * 8 * 2048);
  EXPECT_DOUBLE_EQ(numerator(results[2], "achieved_flops"), 12.0 * 8 * 8 * 2048);
  EXPECT_EQ(results[0].primary_metric, "achieved_flops");
}

TEST(Optimizer, StepsAsItsFormulaInEachForm) {
  const auto results =
      test::run_cases("micro/optimizer",
                      {"parameters=1000", "tensors=1,7", "device=cpu", "precision=fp64,fp32"}, 5);
  if (!root()) return;
  ASSERT_EQ(results.size(), 24U);
  for (const CaseResult& result : results) {
    EXPECT_EQ(result.status, Status::ok) << result.key << ": " << result.reason;
    EXPECT_EQ(result.verification.wrong, 0U) << result.key;
    const double width = result.params.text("precision") == "fp64" ? 8 : 4;
    const std::map<std::string, double> moved{{"sgd", 5},           {"sgd_loop", 5},
                                              {"adamw", 7},         {"adamw_loop", 7},
                                              {"gradient_norm", 1}, {"gradient_scale", 2}};
    EXPECT_GT(result.verification.checked, 0U) << result.key;
    EXPECT_DOUBLE_EQ(numerator(result, "bandwidth"),
                     width * 1000 * moved.at(result.params.text("kind")));
  }
}

TEST(CacheState, AColdSampleIsOneCallBehindAWrittenBlock) {
  for (const auto& [benchmark, axes] : std::map<std::string, std::vector<std::string>>{
           {"micro/elementwise", {"operation=add", "model=tiny", "tokens=12", "pass=forward"}},
           {"micro/gemm", {"shape=square", "rows=16"}},
           {"micro/optimizer", {"kind=gradient_norm", "parameters=1000", "tensors=1"}}}) {
    std::vector<std::string> all = axes;
    all.insert(all.end(), {"cache=hot,cold", "device=cpu", "precision=fp32"});
    const auto results = test::run_cases(benchmark, all, 5);
    if (!root()) continue;
    ASSERT_EQ(results.size(), 2U) << benchmark;
    const CaseResult &hot = results[0], &cold = results[1];
    EXPECT_EQ(hot.status, Status::ok) << hot.reason;
    EXPECT_EQ(cold.status, Status::ok) << cold.reason;
    EXPECT_THAT(cold.key, testing::HasSubstr("cache=cold"));
    EXPECT_THAT(hot.key, testing::Not(testing::HasSubstr("cache")));
    EXPECT_EQ(cold.facts.at("cache_flushed"),
              Value(2 * static_cast<std::int64_t>(largest_cache())));
    EXPECT_EQ(hot.facts.count("cache_flushed"), 0U);
    EXPECT_EQ(cold.find("time")->samples.inner, 1U);
    ASSERT_NE(cold.find("local_time"), nullptr);
  }
  EXPECT_GE(largest_cache(), std::size_t{1} << 18);
}

TEST(CompareWithFormula, FindsWhatIsWrong) {
  const at::Tensor want = torch::linspace(-1, 1, 100, at::kDouble);
  for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf}) {
    at::Tensor got = want.to(type).clone();
    EXPECT_EQ(compare_with_formula(got, want).wrong, 0U);
    EXPECT_EQ(compare_with_formula(got, want).checked, 100U);
    got[3] += 0.1;
    EXPECT_EQ(compare_with_formula(got, want).wrong, 1U);
    got[4] = std::nan("");
    EXPECT_EQ(compare_with_formula(got, want).wrong, 2U);
  }
}

/// 65,536 terms: 4 * 256 roundoffs.
TEST(CompareWithFormula, AllowsLongSumsMore) {
  const at::Tensor want = torch::ones({4}, at::kDouble);
  const auto wrong = [&](double roundoffs, std::int64_t terms) {
    const at::Tensor got = (want * (1 + 2 * roundoffs * std::ldexp(1.0, -24))).to(at::kFloat);
    return compare_with_formula(got, want, {}, terms).wrong;
  };
  EXPECT_EQ(wrong(250, 0), 0U);
  EXPECT_EQ(wrong(300, 0), 4U);
  EXPECT_EQ(wrong(300, 100), 4U);
  EXPECT_EQ(wrong(1000, 1 << 16), 0U);
  EXPECT_EQ(wrong(1100, 1 << 16), 4U);
}

/// LibTorch adds the pixels of a channel one by one.
TEST(BatchNorm, IsRightForManyPixels) {
  const auto results =
      test::run_cases("micro/normalization",
                      {"kind=batch", "layout=nhwc", "channels=16", "images=32", "rows=131072",
                       "pass=train", "device=cpu", "precision=fp32"},
                      1);
  if (!root()) return;
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].status, Status::ok) << results[0].reason;
}

TEST(CompareWithFormula, AllowsForTheRoundingsOfEachElement) {
  const at::Tensor want = torch::zeros({4}, at::kDouble),
                   roundings = torch::tensor({0.0, 0.1, 1.0, 10.0}, at::kDouble);
  const at::Tensor got = torch::full({4}, 0.25 / 16, at::kBFloat16);  // 8 roundoffs are 1/32
  EXPECT_EQ(compare_with_formula(got, want, roundings).wrong, 2U);
  EXPECT_EQ(compare_with_formula(got, want).wrong, 4U);
}

}  // namespace
}  // namespace scalemark::micro
