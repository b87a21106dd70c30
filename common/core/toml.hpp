// SPDX-License-Identifier: Apache-2.0
// TOML files, and errors in them with their place. The only header that includes toml++.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

// toml++ 3.3 asserts that a key begins as keys do, which "[/name]" does not; the code behind
// refuses it. With NDEBUG it has clang assume the same.
#pragma push_macro("NDEBUG")
#undef NDEBUG
/// Takes the place of toml++'s own assertion.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "common/base/error.hpp"

namespace scalemark {

/// Parses a file's text. Throws UsageError "ORIGIN:LINE: reason"; also for a character outside of
/// ASCII that is neither in quotes nor in a comment, where TOML has no place for it and toml++ 3.3
/// no defined behaviour.
toml::table parse_toml(std::string_view text, const std::string& origin);

/// The text of the TOML file that an option names. Throws UsageError, "--peak is 'FILE'; ...", if
/// it cannot be read or is larger than `most` bytes.
std::string read_toml_file(const std::string& option, const std::string& file, std::uintmax_t most);

/// Throws UsageError: "FILE:LINE: text".
[[noreturn]] inline void fail_at(const std::string& origin, const toml::node& node,
                                 const std::string& text) {
  throw UsageError(fmt::format("{}:{}: {}", origin, node.source().begin.line, text));
}

/// Throws UsageError for a key that is none of `known`, and names the nearest.
[[noreturn]] void fail_unknown_key(const std::string& origin, const toml::node& node,
                                   std::string_view key, const std::vector<std::string>& known);

}  // namespace scalemark
