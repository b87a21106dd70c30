// SPDX-License-Identifier: Apache-2.0
// Commands that can be pasted into a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace scalemark::shell {

/// A word as a POSIX shell takes it for itself: in single quotes where it holds anything but
/// letters, digits and characters that mean nothing there.
std::string quoted(std::string_view word);

/// Words, quoted, with blanks between them.
std::string line(std::span<const std::string> words);

}  // namespace scalemark::shell
