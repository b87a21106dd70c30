// SPDX-License-Identifier: Apache-2.0
// Parses numbers from users: sizes, lists and ranges of integers, durations.
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::text {
namespace {

constexpr std::size_t kMaxValues = 100'000;

/// The factor of a binary suffix (K, KB, KiB, ..., B, or empty); nothing if it is no such suffix.
std::optional<std::int64_t> suffix_factor(std::string_view suffix) {
  if (suffix.empty() || suffix == "B") return 1;
  std::int64_t factor = 0;
  switch (suffix.front()) {
    case 'K':
    case 'k':
      factor = std::int64_t{1} << 10;
      break;
    case 'M':
      factor = std::int64_t{1} << 20;
      break;
    case 'G':
      factor = std::int64_t{1} << 30;
      break;
    case 'T':
      factor = std::int64_t{1} << 40;
      break;
    default:
      return std::nullopt;
  }
  suffix.remove_prefix(1);
  if (suffix.empty() || suffix == "B" || suffix == "iB" || suffix == "i") return factor;
  return std::nullopt;
}

[[noreturn]] void bad_values(std::string_view whole, std::string_view why) {
  throw UsageError(fmt::format(
      "\"{}\" is not a list of integers: {}; allowed: 8, 1K, 1K,2K, 8:4M:*2, 0:4M:*2, 1:9:+2",
      printable(whole, 200), why));
}

/// Appends a value. Throws UsageError if there are too many.
void push(std::vector<std::int64_t>& values, std::int64_t value, std::string_view whole) {
  if (values.size() == kMaxValues)
    bad_values(whole, fmt::format("more than {} values", kMaxValues));
  values.push_back(value);
}

void add_range(std::vector<std::int64_t>& values, std::string_view part, std::string_view whole) {
  const std::vector<std::string> fields = split(part, ':');
  if (fields.size() != 3 || fields[2].size() < 2)
    bad_values(whole, "a range is from:to:*factor or from:to:+step");
  const auto from = parse_integer(fields[0]);
  const auto to = parse_integer(fields[1]);
  const auto step = parse_integer(std::string_view(fields[2]).substr(1));
  const bool times = fields[2][0] == '*';
  if (!from || !to || !step || (!times && fields[2][0] != '+')) {
    bad_values(whole, "a range is from:to:*factor or from:to:+step");
  }
  if (*from > *to) bad_values(whole, "a range ends before it begins");
  if (times && (*from < 0 || *step < 2))
    bad_values(whole, "a factor is at least 2, from a value of at least 0");
  if (!times && *step < 1) bad_values(whole, "a step is at least 1");
  for (std::int64_t value = *from; value <= *to;) {
    push(values, value, whole);
    std::int64_t next = 0;
    if (times && value == 0) {  // 0, 1, 2, 4, ... as in OSU and IMB
      value = 1;
      continue;
    }
    const bool overflow = times ? __builtin_mul_overflow(value, *step, &next)
                                : __builtin_add_overflow(value, *step, &next);
    if (overflow) break;
    value = next;
  }
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{}) return std::nullopt;
  const auto factor = suffix_factor(std::string_view(rest, static_cast<std::size_t>(end - rest)));
  std::int64_t result = 0;
  if (!factor || __builtin_mul_overflow(number, *factor, &result)) return std::nullopt;
  return result;
}

std::vector<std::int64_t> parse_integers(std::string_view text) {
  std::vector<std::int64_t> values;
  for (const std::string& part : split(text, ',')) {
    if (part.find(':') != std::string::npos) {
      add_range(values, part, text);
    } else if (const auto value = parse_integer(part)) {
      push(values, *value, text);
    } else {
      bad_values(text, fmt::format("\"{}\"", printable(part, 100)));
    }
  }
  if (values.empty()) bad_values(text, "it is empty");
  return values;
}

std::optional<double> parse_seconds(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array kUnits = {Unit{"", 1},      Unit{"s", 1},     Unit{"ms", 1e-3},
                                 Unit{"us", 1e-6}, Unit{"ns", 1e-9}, Unit{"m", 60},
                                 Unit{"min", 60},  Unit{"h", 3600}};
  for (const Unit& known : kUnits) {
    if (unit != known.name) continue;
    const double seconds = number * known.seconds;
    return std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace scalemark::text
