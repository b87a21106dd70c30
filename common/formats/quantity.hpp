// SPDX-License-Identifier: Apache-2.0
// Numbers printed by other programs, with the resolution they were printed with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/result/model.hpp"

namespace scalemark::formats {

/// digits * 10^exponent, exactly as printed.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

/// Parses "12.34", "1e-05" or "8": at most 18 digits, not negative, exponent at most 40. Empty for
/// any other text.
std::optional<Decimal> parse_decimal(std::string_view text);

/// A number of bytes, ranks or iterations: digits only, at most `most`.
std::optional<std::int64_t> parse_count(std::string_view text, std::int64_t most);

/// How a column of another program maps to a metric.
struct Quantity {
  const char* metric;
  const char* unit;
  int exponent;  ///< the column's unit is 10^exponent of `unit`
  Better better;
};
inline constexpr Quantity kLatency{"latency", "s", -6, Better::lower};
inline constexpr Quantity kLatencyMin{"latency_min", "s", -6, Better::lower};
inline constexpr Quantity kLatencyMax{"latency_max", "s", -6, Better::lower};
inline constexpr Quantity kBandwidthMb{"bandwidth", "By/s", 6, Better::higher};
inline constexpr Quantity kBandwidthGb{"bandwidth", "By/s", 9, Better::higher};
inline constexpr Quantity kBusBandwidthGb{"bus_bandwidth", "By/s", 9, Better::higher};
inline constexpr Quantity kMessageRate{"message_rate", "1/s", 0, Better::higher};

/// Adds a metric with one sample. The sample stores the printed digits, and `scale` the value of
/// the last digit, so that `compare` knows the resolution. The first metric of a case becomes the
/// primary one.
Metric& add_metric(CaseResult& result, const Quantity& quantity, const Decimal& value);

}  // namespace scalemark::formats
