// SPDX-License-Identifier: Apache-2.0
// Adds source positions to error texts.
#include "common/base/error.hpp"

#include <fmt/format.h>

namespace scalemark {

std::string located(const std::string& text, Where where) {
  return fmt::format("{} [{}:{}]", text, where.file, where.line);
}

}  // namespace scalemark
