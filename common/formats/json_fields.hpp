// SPDX-License-Identifier: Apache-2.0
// Members of JSON objects of other programs, with errors that name the place.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/formats/import.hpp"

namespace scalemark::formats {

/// Bytes of a name or another text of one line.
constexpr std::size_t kLongestName = 200;

/// Throws InputError: the place, what was expected, and the beginning of what is there.
[[noreturn]] void fail(const std::string& place, std::string_view expected,
                       const nlohmann::json& found);

/// A member that must be there.
const nlohmann::json& member(const nlohmann::json& object, const char* name,
                             const std::string& place);

/// A text of at most kLongestName bytes, cleaned.
std::string text_of(const nlohmann::json& value, const char* name, const std::string& place);

/// A finite number that is not negative.
double number_of(const nlohmann::json& value, const char* name, const std::string& place);

/// An integer from 0 to `most`.
std::int64_t integer_of(const nlohmann::json& value, const char* name, std::int64_t most,
                        const std::string& place);

/// Notes each member of an object that is not among the known ones.
void note_unknown(const nlohmann::json& object, const std::set<std::string>& known,
                  const std::string& place, const ImportTaker& taker);

}  // namespace scalemark::formats
