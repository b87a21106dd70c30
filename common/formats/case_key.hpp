// SPDX-License-Identifier: Apache-2.0
// Parses the canonical key of a case into name and parameters.
#pragma once

#include <string>
#include <string_view>

#include "common/result/model.hpp"

namespace scalemark::formats {

/// The case of a text `suite/name axis=value ...` with pairs in any order: name, parameters and
/// canonical key. A text of another form becomes the name as a whole. Throws InputError starting
/// with `place` for a repeated axis, and for a text that is empty or longer than 1000 bytes.
CaseResult case_of_key(std::string_view key, const std::string& place);

/// The value of a text in a key: integer, true or false, number, or text with its %XX decoded.
/// to_text() of the value gives the text again.
Value value_of_text(std::string_view text);

}  // namespace scalemark::formats
