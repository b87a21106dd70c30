// SPDX-License-Identifier: Apache-2.0
// Values of axes and facts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace scalemark {

using Value = std::variant<bool, std::int64_t, double, std::string>;

/// Values by name: the facts of a case.
using NamedValues = std::map<std::string, Value>;

/// The value of that name if it has type T, else null.
template <typename T>
const T* find_as(const NamedValues& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : std::get_if<T>(&found->second);
}

/// The text of a value as it stands in a key: plain integers, true/false, shortest double, text.
std::string to_text(const Value& value);

/// 64-bit FNV-1a of a text as 16 hexadecimal digits; names configurations, never guards them.
std::string hash_text(std::string_view text);

}  // namespace scalemark
