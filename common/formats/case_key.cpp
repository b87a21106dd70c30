// SPDX-License-Identifier: Apache-2.0
// Parses a case key into parameters: the inverse of make_key().
#include "common/formats/case_key.hpp"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/input.hpp"

namespace scalemark::formats {
namespace {

constexpr std::size_t kLongestKey = 1000;

/// A number only if printing it gives the same text: 007 and 1e3 stay texts.
template <typename Number>
std::optional<Value> written_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || rest != end || to_text(Value(number)) != text) return std::nullopt;
  return Value(number);
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ptr ==
            text.data() + i + 3) {
      result += static_cast<char>(code);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// The parameters; empty if some part is not axis=value. Throws InputError for a repeated axis.
std::optional<Point> params_of(const std::vector<std::string_view>& parts,
                               const std::string& place) {
  Point params;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string axis(parts[i].substr(0, equals));
    if (!text::is_identifier(axis)) return std::nullopt;
    if (!params.add(axis, value_of_text(parts[i].substr(equals + 1)))) {
      throw InputError(fmt::format("{}: the key names {} twice", place, axis));
    }
  }
  return params;
}

}  // namespace

Value value_of_text(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto integer = written_number<std::int64_t>(text)) return *integer;
  if (const auto real = written_number<double>(text)) return *real;
  return unescaped(text);
}

CaseResult case_of_key(std::string_view key, const std::string& place) {
  const std::vector<std::string_view> parts = words(key);
  if (parts.empty() || key.size() > kLongestKey) {
    throw InputError(
        fmt::format("{}: the key has {} bytes; allowed: 1 to {}", place, key.size(), kLongestKey));
  }
  CaseResult result;
  if (const std::optional<Point> params = params_of(parts, place)) {
    result.name = text::printable(parts.front());
    result.params = *params;
  } else {
    result.name = text::printable(key);
  }
  result.key = make_key(result.name, result.params);
  result.config_hash = hash_text(result.key);
  return result;
}

}  // namespace scalemark::formats
