// SPDX-License-Identifier: Apache-2.0
// Manual pages from what --help says.
#pragma once

#include <string>
#include <vector>

#include "common/cli/command_words.hpp"

namespace scalemark::cli {

/// The page of the whole program, in the language of man (roff): scalemark(1).
std::string program_manual(const CLI::App& app, const std::vector<CommandWords>& commands);

/// The page of one subcommand: scalemark-NAME(1).
std::string command_manual(const CommandWords& command);

}  // namespace scalemark::cli
