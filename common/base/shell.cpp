// SPDX-License-Identifier: Apache-2.0
// Quoting for a POSIX shell.
#include "common/base/shell.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "common/base/text.hpp"

namespace scalemark::shell {

std::string quoted(std::string_view word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-+./:,=@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return std::string(word);
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string line(std::span<const std::string> words) {
  std::vector<std::string> parts;
  for (const std::string& word : words) parts.push_back(shell::quoted(word));
  return text::join(parts, " ");
}

}  // namespace scalemark::shell
