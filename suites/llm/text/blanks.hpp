// SPDX-License-Identifier: Apache-2.0
// White space in UTF-8 text, and the cuts that keep its pieces short.
#pragma once

#include <cstddef>
#include <string_view>

namespace scalemark::llm {

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
