// SPDX-License-Identifier: Apache-2.0
// Parses TOML with toml++, behind a check of what that does not survive.
#include "common/core/toml.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "common/base/text.hpp"
#include "common/base/units.hpp"

namespace scalemark {
namespace {

/// Behind the text in quotes that begins at `at`; the end of the line if its quotes are not closed.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool multi_line = text.substr(at, 3) == three;
  const std::string_view close = std::string_view(three).substr(0, multi_line ? 3 : 1);
  for (at += close.size(); at < text.size(); ++at) {
    if (text[at] == '\n' && !multi_line) return at;
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (text.substr(at, close.size()) == close) {
      at += close.size();
      // Up to two quotes may stand before the three that close.
      for (int i = 0; multi_line && i < 2 && at < text.size() && text[at] == quote; ++i) ++at;
      return at;
    }
  }
  return text.size();
}

/// Place of the first character outside of ASCII that is neither in quotes nor in a comment.
std::size_t find_bare_foreign(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"' || c == '\'') {
      at = end_of_quoted(text, at);
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return at;
    } else {
      ++at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& origin) {
  if (const std::size_t foreign = find_bare_foreign(text); foreign != std::string_view::npos) {
    const auto line = 1 + std::ranges::count(text.substr(0, foreign), '\n');
    throw UsageError(fmt::format("{}:{}: a character outside of ASCII needs quotes", origin, line));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw UsageError(fmt::format("{}:{}: {}", origin, error.source().begin.line,
                                 text::printable(error.description(), 200)));
  }
}

std::string read_toml_file(const std::string& option, const std::string& file,
                           std::uintmax_t most) {
  const std::string shown = text::printable(file, 200);
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || size > most)
    throw UsageError(fmt::format("{} is '{}'; allowed: a TOML file of up to {}{}", option, shown,
                                 units::bytes(most), error ? " (" + error.message() + ")" : ""));
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream) throw UsageError(fmt::format("{} is '{}', which cannot be read", option, shown));
  return content.str();
}

void fail_unknown_key(const std::string& origin, const toml::node& node, std::string_view key,
                      const std::vector<std::string>& known) {
  fail_at(
      origin, node,
      fmt::format("unknown key '{}'{}", text::printable(key, 80), text::did_you_mean(key, known)));
}

}  // namespace scalemark
