// SPDX-License-Identifier: Apache-2.0
// Formats keys, values and intervals for readers.
#include "common/html/words.hpp"

#include <charconv>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/units.hpp"

namespace scalemark::html {

std::string axis_text(std::string_view axis, std::string_view value) {
  std::uint64_t bytes = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, bytes);
  const bool whole = error == std::errc() && stop == end;
  return whole && (axis == "bytes" || axis.ends_with("_bytes")) ? units::bytes(bytes)
                                                                : std::string(value);
}

std::string key_text(std::string_view key) {
  std::vector<std::string> words = text::split(key, ' ');
  std::string size, others;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string axis = words[i].substr(0, equals);
    if (equals != std::string::npos && axis == "bytes") {
      size = ' ' + axis_text(axis, words[i].substr(equals + 1));
    } else {
      others += ' ' + words[i];
    }
  }
  return words.empty() ? std::string() : words.front() + size + others;
}

std::string_view short_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

std::string_view interval_words(std::size_t runs) {
  return runs > 1 ? "least and largest run" : "95 % interval within the run";
}

std::string interval_text(const RowValue& value, std::string_view unit) {
  return fmt::format("[{}, {}]", units::quantity(value.low, unit),
                     units::quantity(value.high, unit));
}

}  // namespace scalemark::html
