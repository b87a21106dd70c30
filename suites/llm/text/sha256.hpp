// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), to tell which file something was made with.
#pragma once

#include <string>
#include <string_view>

namespace scalemark::llm {

/// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace scalemark::llm
