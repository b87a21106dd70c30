// SPDX-License-Identifier: Apache-2.0
// Converts printed numbers to samples.
#include "common/formats/quantity.hpp"

#include <charconv>
#include <string>

#include <fmt/format.h>

namespace scalemark::formats {
namespace {

constexpr int kMaxDigits = 18;
constexpr int kMaxExponent = 40;

/// Reads digits with at most one point; false if there are none or too many.
bool read_digits(std::string_view text, Decimal& decimal) {
  int digits = 0;
  bool behind_point = false;
  for (const char c : text) {
    if (c == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (c < '0' || c > '9' || ++digits > kMaxDigits) return false;
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(c - '0');
    if (behind_point) --decimal.exponent;
  }
  return digits > 0;
}

/// 10^exponent, correctly rounded.
double power_of_ten(int exponent) {
  const std::string text = fmt::format("1e{}", exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal decimal;
  const std::size_t e = text.find_first_of("eE");
  if (!read_digits(text.substr(0, e), decimal)) return std::nullopt;
  if (e == std::string_view::npos) return decimal;
  std::string_view power = text.substr(e + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  int exponent = 0;
  const char* end = power.data() + power.size();
  const auto [rest, failure] = std::from_chars(power.data(), end, exponent);
  if (failure != std::errc{} || rest != end || exponent > kMaxExponent || exponent < -kMaxExponent)
    return std::nullopt;
  decimal.exponent += exponent;
  return decimal;
}

std::optional<std::int64_t> parse_count(std::string_view text, std::int64_t most) {
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, count);
  if (failure != std::errc{} || rest != end || count < 0 || count > most) return std::nullopt;
  return count;
}

Metric& add_metric(CaseResult& result, const Quantity& quantity, const Decimal& value) {
  Metric metric;
  metric.name = quantity.metric;
  metric.unit = quantity.unit;
  metric.better = quantity.better;
  metric.kind = metric.unit == "s" ? MetricKind::duration : MetricKind::count;
  metric.rank_reduce = RankReduce::mean;
  metric.samples.ranks = 1;
  metric.samples.iterations = 1;
  metric.samples.values = std::vector<std::uint64_t>{value.digits};
  metric.samples.scale = power_of_ten(value.exponent + quantity.exponent);
  if (result.metrics.empty()) result.primary_metric = metric.name;
  result.metrics.push_back(std::move(metric));
  return result.metrics.back();
}

}  // namespace scalemark::formats
