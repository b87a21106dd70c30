// SPDX-License-Identifier: Apache-2.0
// Errors in TOML files, with their place.
#pragma once

#include <string>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "common/base/error.hpp"

namespace scalemark {

/// Throws UsageError: "FILE:LINE: text".
[[noreturn]] inline void fail_at(const std::string& origin, const toml::node& node,
                                 const std::string& text) {
  throw UsageError(fmt::format("{}:{}: {}", origin, node.source().begin.line, text));
}

}  // namespace scalemark
