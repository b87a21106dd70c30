// SPDX-License-Identifier: Apache-2.0
// UTF-8: the only decoder, and what is built on it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark::text {

struct CodePoint {
  char32_t value = 0;
  /// Bytes of its sequence. Of a wrong sequence: how many belong together.
  std::size_t bytes = 0;
  bool valid = false;
};

/// The code point at the start of `text`, which is not empty. Overlong forms, surrogates and values
/// above U+10FFFF are not valid (Unicode Standard, table 3-7).
CodePoint first_code_point(std::string_view text);

bool is_utf8(std::string_view text);

/// Each wrong sequence becomes one U+FFFD, as Python decodes with errors="replace".
std::string repaired_utf8(std::string_view text);

}  // namespace scalemark::text
