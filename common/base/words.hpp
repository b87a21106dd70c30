// SPDX-License-Identifier: Apache-2.0
// Words of a text.
#pragma once

#include <string_view>
#include <vector>

namespace scalemark::text {

/// What is between blanks, as parts of `text`.
std::vector<std::string_view> words(std::string_view text, std::string_view blanks = " \t");

}  // namespace scalemark::text
