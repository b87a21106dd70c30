// SPDX-License-Identifier: Apache-2.0
// Examples at the end of --help.
#pragma once

#include <CLI/CLI.hpp>

namespace scalemark::cli {

/// Appends each subcommand's examples to its footer.
void add_examples(CLI::App& app);

}  // namespace scalemark::cli
