// SPDX-License-Identifier: Apache-2.0
// Parsing the values of an axis.
#include "common/core/axis.hpp"

#include <algorithm>
#include <set>

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

std::vector<Value> parse_numbers(const Axis& axis, const std::string& text) {
  std::vector<Value> values;
  for (const std::int64_t number : text::parse_integers(text)) {
    if (number < axis.minimum || number > axis.maximum) {
      throw UsageError(fmt::format("axis {} is {}; allowed: {} to {}", axis.name, number,
                                   axis.minimum, axis.maximum));
    }
    values.emplace_back(number);
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
