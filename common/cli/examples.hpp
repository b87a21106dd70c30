// SPDX-License-Identifier: Apache-2.0
// Examples below the options of --help.
#pragma once

#include <CLI/CLI.hpp>

namespace scalemark::cli {

/// Puts each subcommand's own examples behind the footer that it has.
void add_examples(CLI::App& app);

}  // namespace scalemark::cli
