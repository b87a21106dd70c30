// SPDX-License-Identifier: Apache-2.0
// The one place that compiles a filter.
#include "common/core/filter.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark {

std::regex filter_expression(const char* operand, const std::string& filter) {
  try {
    return std::regex(filter, std::regex::ECMAScript);
  } catch (const std::regex_error& error) {
    throw UsageError(fmt::format("{} is \"{}\"; allowed: a regular expression ({})", operand,
                                 text::printable(filter, 200), error.what()));
  }
}

}  // namespace scalemark
