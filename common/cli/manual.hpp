// SPDX-License-Identifier: Apache-2.0
// Manual pages made from the texts of --help.
#pragma once

#include <string>
#include <vector>

#include "common/cli/command_words.hpp"

namespace scalemark::cli {

/// The roff source of scalemark(1), the page of the whole program.
std::string program_manual(const CLI::App& app, const std::vector<CommandWords>& commands);

/// The roff source of scalemark-NAME(1), the page of one subcommand.
std::string command_manual(const CommandWords& command);

}  // namespace scalemark::cli
