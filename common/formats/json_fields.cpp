// SPDX-License-Identifier: Apache-2.0
// Checked access to JSON of other programs.
#include "common/formats/json_fields.hpp"

#include <cmath>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::formats {

using nlohmann::json;

void fail(const std::string& place, std::string_view expected, const json& found) {
  constexpr std::size_t kMaxQuoted = 80;
  std::string said;
  if (found.is_object() || found.is_array()) {
    said =
        fmt::format("{} of {} members", found.is_object() ? "an object" : "a list", found.size());
  } else {
    // dump() may get text that was cut within a UTF-8 character.
    said = text::printable(found.dump(-1, ' ', false, json::error_handler_t::replace), kMaxQuoted);
  }
  throw InputError(fmt::format("{}: expected {}, found {}", place, expected, said));
}

const json& member(const json& object, const char* name, const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end()) throw InputError(fmt::format("{}: \"{}\" is missing", place, name));
  return *found;
}

std::string text_of(const json& value, const char* name, const std::string& place) {
  if (!value.is_string() || value.get_ref<const std::string&>().size() > kLongestName)
    fail(place, fmt::format("\"{}\" to be a text of at most {} bytes", name, kLongestName), value);
  return text::printable(value.get_ref<const std::string&>());
}

double number_of(const json& value, const char* name, const std::string& place) {
  const bool usable = value.is_number() && std::isfinite(value.get<double>()) &&
                      value.get<double>() >= 0 && value.get<double>() < 1e18;
  if (!usable) fail(place, fmt::format("\"{}\" to be a number from 0 on", name), value);
  return value.get<double>();
}

std::int64_t integer_of(const json& value, const char* name, std::int64_t most,
                        const std::string& place) {
  const bool usable =
      value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
  if (!usable) fail(place, fmt::format("\"{}\" to be an integer from 0 to {}", name, most), value);
  return value.get<std::int64_t>();
}

void note_unknown(const json& object, const std::set<std::string>& known, const std::string& place,
                  const ImportTaker& taker) {
  for (const auto& [name, value] : object.items()) {
    if (!known.contains(name))
      taker.note(fmt::format("{}: \"{}\" is not known and not imported", place,
                             text::printable(name, 80)));
  }
}

}  // namespace scalemark::formats
