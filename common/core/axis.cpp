// SPDX-License-Identifier: Apache-2.0
// Parsing the values of an axis.
#include "common/core/axis.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark {
namespace {

std::vector<Value> parse_texts(const Axis& axis, const std::string& text) {
  std::vector<std::string> names;
  for (const Value& value : axis.allowed) names.push_back(to_text(value));
  std::vector<Value> values;
  for (const std::string& part : text::split(text, ',')) {
    if (std::ranges::find(names, part) == names.end()) {
      throw UsageError(fmt::format("axis {} has no value '{}'{}; allowed: {}", axis.name,
                                   text::printable(part, 80), text::did_you_mean(part, names),
                                   text::join(names, ", ")));
    }
    values.emplace_back(part);
  }
  return values;
}

std::vector<Value> parse_booleans(const Axis& axis, const std::string& text) {
  std::vector<Value> values;
  for (const std::string& part : text::split(text, ',')) {
    if (part != "true" && part != "false") {
      throw UsageError(fmt::format("axis {} has no value '{}'; allowed: true, false", axis.name,
                                   text::printable(part, 80)));
    }
    values.emplace_back(part == "true");
  }
  return values;
}

[[noreturn]] void out_of_range(const Axis& axis, const std::string& value) {
  const bool bounded = axis.maximum != std::numeric_limits<std::int64_t>::max();
  throw UsageError(fmt::format("axis {} is {}; allowed: {}{}", axis.name, value, axis.minimum,
                               bounded ? fmt::format(" to {}", axis.maximum) : " or more"));
}

/// Throws UsageError that names the axis.
std::vector<std::int64_t> integers_of(const Axis& axis, const std::string& text) {
  try {
    return text::parse_integers(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("axis {}: {}", axis.name, error.what()));
  }
}

std::vector<Value> parse_integers(const Axis& axis, const std::string& text) {
  std::vector<Value> values;
  for (const std::int64_t number : integers_of(axis, text)) {
    if (number < axis.minimum || number > axis.maximum) out_of_range(axis, to_text(number));
    values.emplace_back(number);
  }
  return values;
}

std::vector<Value> parse_numbers(const Axis& axis, const std::string& text) {
  std::vector<Value> values;
  for (const std::string& part : text::split(text, ',')) {
    double number = 0;
    const char* const end = part.data() + part.size();
    const auto read = std::from_chars(part.data(), end, number);
    const bool good = read.ec == std::errc() && read.ptr == end &&
                      number >= static_cast<double>(axis.minimum) &&
                      number <= static_cast<double>(axis.maximum);
    if (!good) out_of_range(axis, fmt::format("'{}'", text::printable(part, 80)));
    values.emplace_back(number == 0 ? 0.0 : number);  // -0 is no other value
  }
  return values;
}

}  // namespace

std::vector<Value> Axis::parse(const std::string& text) const {
  std::vector<Value> values;
  switch (type) {
    case Type::text:
      values = parse_texts(*this, text);
      break;
    case Type::boolean:
      values = parse_booleans(*this, text);
      break;
    case Type::integer:
      values = parse_integers(*this, text);
      break;
    case Type::number:
      values = parse_numbers(*this, text);
      break;
  }
  if (values.empty()) throw UsageError(fmt::format("axis {} was given no value", name));
  // A value given twice would make two cases with one key.
  std::set<Value> seen;
  std::erase_if(values, [&](const Value& value) { return !seen.insert(value).second; });
  return values;
}

}  // namespace scalemark
