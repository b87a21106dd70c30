// SPDX-License-Identifier: Apache-2.0
// The UTF-8 decoder, and functions built on it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark::text {

struct CodePoint {
  char32_t value = 0;
  /// Bytes of its sequence; of an invalid sequence, the number of bytes to replace together.
  std::size_t bytes = 0;
  bool valid = false;
};

/// The code point at the start of `text`, which must not be empty. Overlong forms, surrogates and
/// values above U+10FFFF are invalid (Unicode Standard, table 3-7).
CodePoint first_code_point(std::string_view text);

/// Whether the text is valid UTF-8.
bool is_utf8(std::string_view text);

/// Replaces each invalid sequence by one U+FFFD, as Python does with errors="replace".
std::string repaired_utf8(std::string_view text);

}  // namespace scalemark::text
