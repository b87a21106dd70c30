// SPDX-License-Identifier: Apache-2.0
// Numbers as other programs print them, kept with the resolution that they were printed with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/result/model.hpp"

namespace scalemark::formats {

/// digits * 10^exponent, exactly as it stands in the text.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

/// "12.34", "1e-05", "8": at most 18 digits, not negative, an exponent of at most 40. Nothing if
/// the text is anything else, or goes on behind the number.
std::optional<Decimal> parse_decimal(std::string_view text);

/// A number of bytes, ranks or iterations: digits only, at most `most`.
std::optional<std::int64_t> parse_count(std::string_view text, std::int64_t most);

/// What a column of another program is to us.
struct Quantity {
  const char* metric;
  const char* unit;
  int exponent;  ///< the column's unit is 10^exponent of ours
  Better better;
};
inline constexpr Quantity kLatency{"latency", "s", -6, Better::lower};
inline constexpr Quantity kLatencyMin{"latency_min", "s", -6, Better::lower};
inline constexpr Quantity kLatencyMax{"latency_max", "s", -6, Better::lower};
inline constexpr Quantity kBandwidthMb{"bandwidth", "By/s", 6, Better::higher};
inline constexpr Quantity kBandwidthGb{"bandwidth", "By/s", 9, Better::higher};
inline constexpr Quantity kBusBandwidthGb{"bus_bandwidth", "By/s", 9, Better::higher};
inline constexpr Quantity kMessageRate{"message_rate", "1/s", 0, Better::higher};

/// A metric of one sample. The sample is the printed digits and `scale` their last place, so that
/// compare knows how finely the other program printed. The first metric of a case becomes its
/// primary one.
Metric& add_metric(CaseResult& result, const Quantity& quantity, const Decimal& value);

}  // namespace scalemark::formats
