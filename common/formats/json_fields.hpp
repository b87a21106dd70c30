// SPDX-License-Identifier: Apache-2.0
// Reads members of JSON objects of other programs; errors name the place.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/formats/import.hpp"

namespace scalemark::formats {

/// Longest name or one-line text in bytes.
constexpr std::size_t kLongestName = 200;

/// Throws InputError with the place, what was expected, and the start of what was found.
[[noreturn]] void fail(const std::string& place, std::string_view expected,
                       const nlohmann::json& found);

/// The member `name`. Throws InputError if it is missing.
const nlohmann::json& member(const nlohmann::json& object, const char* name,
                             const std::string& place);

/// A text of at most kLongestName bytes, without control characters. Throws InputError otherwise.
std::string text_of(const nlohmann::json& value, const char* name, const std::string& place);

/// A finite number >= 0. Throws InputError otherwise.
double number_of(const nlohmann::json& value, const char* name, const std::string& place);

/// An integer from 0 to `most`. Throws InputError otherwise.
std::int64_t integer_of(const nlohmann::json& value, const char* name, std::int64_t most,
                        const std::string& place);

/// Adds a note for each member of an object that is not in `known`.
void note_unknown(const nlohmann::json& object, const std::set<std::string>& known,
                  const std::string& place, const ImportTaker& taker);

}  // namespace scalemark::formats
