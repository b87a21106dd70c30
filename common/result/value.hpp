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

/// The text of a value as it stands in a key: plain integers, true/false, shortest double, text.
std::string to_text(const Value& value);

/// 64-bit FNV-1a of a text as 16 hexadecimal digits; names configurations, never guards them.
std::string hash_text(std::string_view text);

}  // namespace scalemark
