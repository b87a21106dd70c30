// SPDX-License-Identifier: Apache-2.0
// Scripts that complete the program's command line in a shell.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/cli/command_words.hpp"

namespace scalemark::cli {

/// Names that only the registry knows. Anything but A-Z a-z 0-9 . _ / + : = , - is left out of the
/// scripts.
struct CompletionNames {
  std::vector<std::string> benchmarks, presets;
  std::map<std::string, std::vector<std::string>> axes;  ///< values of each; empty for numbers
};

/// The script for `scalemark` and `shell` (bash, zsh or fish), to be sourced or installed.
std::string completion_script(const std::string& shell, const std::vector<CommandWords>& commands,
                              const CompletionNames& names);

}  // namespace scalemark::cli
