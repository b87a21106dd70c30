// SPDX-License-Identifier: Apache-2.0
// The layout of a result file in words.
#pragma once

#include <string_view>

namespace scalemark {

/// What each result file holds as /schema and `scalemark schema` prints: one line an object or
/// attribute. Lines that begin with '/' are objects, those with '@' attributes of the object above,
/// <word> stands for any name.
std::string_view schema_text();

}  // namespace scalemark
