// SPDX-License-Identifier: Apache-2.0
// Repeats a product in batches that a device computes without waiting for the host.
#include "suites/micro/compute/repeated_product.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "common/base/clock.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::micro {
namespace {

/// ns of products between two looks at the clock.
constexpr std::uint64_t kBatch = 50'000'000;

}  // namespace

RepeatedProduct::RepeatedProduct(GemmEngine& engine, std::function<void()> progress)
    : engine_(engine), progress_(std::move(progress)) {
  multiply(1);  // the first one is slow
  const std::uint64_t one = std::max<std::uint64_t>(multiply(1), 1);
  batch_ = std::max<std::uint64_t>(kBatch / one, 1);
  expected_ = engine_.result();
}

std::uint64_t RepeatedProduct::multiply(std::uint64_t times) {
  const std::uint64_t start = now_ns();
  for (std::uint64_t i = 0; i < times; ++i) engine_.start();
  engine_.finish();
  return now_ns() - start;
}

std::uint64_t RepeatedProduct::compare() {
  const GemmResult found = engine_.result();
  const std::size_t width = found.element_bytes;
  checked_ += found.bytes.size() / width;
  if (found.bytes == expected_.bytes) return 0;
  std::uint64_t wrong = 0;
  for (std::size_t at = 0; at < found.bytes.size(); at += width)
    wrong += std::memcmp(&found.bytes[at], &expected_.bytes.at(at), width) != 0 ? 1U : 0U;
  return wrong;
}

void RepeatedProduct::run_interval(std::uint64_t nanoseconds) {
  intervals_.began.push_back(now_ns());
  std::uint64_t products = 0, spent = 0;
  while (spent < nanoseconds) {
    spent += multiply(batch_);
    products += batch_;
    progress_();
  }
  intervals_.seconds.push_back(static_cast<double>(spent) * 1e-9 / static_cast<double>(products));
  intervals_.wrong_elements.push_back(compare());
}

double lost_rate(const std::vector<double>& seconds) {
  if (seconds.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t quarter = std::max<std::size_t>(seconds.size() / 4, 1);
  const std::span<const double> all(seconds);
  return 1 - stats::median(all.first(quarter)) / stats::median(all.last(quarter));
}

}  // namespace scalemark::micro
