// SPDX-License-Identifier: Apache-2.0
// Splits a text at blanks.
#include "common/base/words.hpp"

#include <algorithm>

namespace scalemark::text {

std::vector<std::string_view> words(std::string_view text, std::string_view blanks) {
  std::vector<std::string_view> parts;
  for (std::size_t from = text.find_first_not_of(blanks); from != std::string_view::npos;) {
    const std::size_t to = std::min(text.find_first_of(blanks, from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = text.find_first_not_of(blanks, to);
  }
  return parts;
}

}  // namespace scalemark::text
