// SPDX-License-Identifier: Apache-2.0
// Text description of the layout of a result file.
#pragma once

#include <string_view>

namespace scalemark {

/// The text that each result file holds as /schema and that `scalemark schema` prints. One line per
/// object or attribute: lines that start with '/' are objects, lines that start with '@' are
/// attributes of the object above. <word> stands for any name.
std::string_view schema_text();

}  // namespace scalemark
