// SPDX-License-Identifier: Apache-2.0
// UTF-8 text: checking, repairing, blanks, and the cuts that keep pieces short.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark::llm {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes =
      0;  ///< how many bytes it takes; of a wrong sequence, how many belong together
  bool valid = false;
};

/// The code point at the start of `text`, which is not empty. Overlong forms, surrogates and values
/// above U+10FFFF are not valid.
CodePoint first_code_point(std::string_view text);

bool is_utf8(std::string_view text);

/// Each wrong sequence becomes one U+FFFD, as Python decodes with errors="replace".
std::string repaired_utf8(std::string_view text);

/// White space as Python's str.isspace has it: Unicode's White_Space and U+001C to U+001F.
bool is_blank(char32_t value);

/// Without the blanks at both ends.
std::string_view stripped(std::string_view text);

/// Length in bytes of the longest beginning of `text` (valid, not empty) that is encoded at once:
/// at most 400,000 code points, and no more than 25,000 consecutive blanks or non-blanks, as
/// Llama 3's reference tokenizer cuts. `passed` counts the code points since the last cut at
/// 400,000 and is kept from call to call; it begins with 0.
std::size_t first_cut(std::string_view text, std::size_t& passed);

}  // namespace scalemark::llm
