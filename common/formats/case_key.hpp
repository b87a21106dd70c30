// SPDX-License-Identifier: Apache-2.0
// The canonical key of a case read back into its name and parameters.
#pragma once

#include <string>
#include <string_view>

#include "common/result/model.hpp"

namespace scalemark::formats {

/// A case with name, parameters and canonical key of the text `suite/name axis=value ...`, whose
/// pairs may stand in any order. What has another form is a name as a whole. Throws InputError that
/// begins with `place` for an axis that stands twice, and for a text that is empty or longer than
/// 1000 bytes.
CaseResult case_of_key(std::string_view key, const std::string& place);

/// The value that a text in a key stands for: an integer, true or false, a number, or text with its
/// %XX undone. to_text() of it is the text again.
Value value_of_text(std::string_view text);

}  // namespace scalemark::formats
