// SPDX-License-Identifier: Apache-2.0
// Shell completion scripts for the program's command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/cli/command_words.hpp"

namespace scalemark::cli {

/// Names that only the registry knows. The scripts leave out names with characters other than A-Z
/// a-z 0-9 . _ / + : = , -.
struct CompletionNames {
  std::vector<std::string> benchmarks, presets;
  std::map<std::string, std::vector<std::string>> axes;  ///< values per axis; empty for numbers
};

/// The completion script of `scalemark` for `shell` (bash, zsh or fish), to be sourced or
/// installed.
std::string completion_script(const std::string& shell, const std::vector<CommandWords>& commands,
                              const CompletionNames& names);

}  // namespace scalemark::cli
