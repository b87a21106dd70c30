// SPDX-License-Identifier: Apache-2.0
// A repeated product whose engine slows down and miscalculates where it is told.
#include "suites/micro/compute/repeated_product.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::micro {
namespace {

/// Results are eight elements of four bytes.
class FakeEngine final : public GemmEngine {
 public:
  void fill(GemmValues) override {}
  void start() override { ++started; }
  void finish() override {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    finished = started;
  }
  GemmResult result() override {
    EXPECT_EQ(finished, started) << "reads a product that is not done";
    return {bytes, 4};
  }
  GemmCheck check() override { return {}; }

  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(32, 7);
  int started = 0, finished = 0;
};

TEST(RepeatedProduct, CountsElementsThatDifferFromTheFirstResult) {
  FakeEngine engine;
  int told = 0;
  RepeatedProduct product(engine, [&] { ++told; });
  product.run_interval(1000);
  engine.bytes[4] = 8;  // two bytes of the second element, one of the last
  engine.bytes[7] = 8;
  engine.bytes[31] = 6;
  product.run_interval(1000);
  engine.bytes.assign(32, 7);
  product.run_interval(1000);
  EXPECT_EQ(product.intervals().wrong_elements, (std::vector<std::uint64_t>{0, 2, 0}));
  EXPECT_EQ(product.checked(), 3 * 8U);
  EXPECT_GE(told, 3);
}

TEST(RepeatedProduct, AnIntervalLastsAsLongAsItIsTold) {
  FakeEngine engine;
  RepeatedProduct product(engine, [] {});
  const int before = engine.started;
  product.run_interval(3'000'000);
  const auto& all = product.intervals();
  ASSERT_EQ(all.seconds.size(), 1U);
  EXPECT_GE(all.seconds[0] * (engine.started - before), 0.003);
  EXPECT_GT(all.began[0], 0U);
}

TEST(LostRate, ComparesTheEndsOfALoad) {
  EXPECT_TRUE(std::isnan(lost_rate({})));
  EXPECT_DOUBLE_EQ(lost_rate({2}), 0);
  EXPECT_DOUBLE_EQ(lost_rate({1, 1, 9, 9, 9, 9, 2, 2}), 0.5) << "twice as long: half the rate";
  EXPECT_DOUBLE_EQ(lost_rate({4, 5, 5, 4}), 0);
}

}  // namespace
}  // namespace scalemark::micro
