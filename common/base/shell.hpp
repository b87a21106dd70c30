// SPDX-License-Identifier: Apache-2.0
// Quotes commands so that they can be pasted into a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace scalemark::shell {

/// A word as a POSIX shell needs it: in single quotes unless it has only letters, digits and
/// characters without a special meaning.
std::string quoted(std::string_view word);

/// Quoted words, separated by blanks.
std::string line(std::span<const std::string> words);

}  // namespace scalemark::shell
