// SPDX-License-Identifier: Apache-2.0
// What to say to a command line that cannot be understood.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace scalemark::cli {

/// The sentence for an error of app.parse(): a subcommand or an option that does not exist is named
/// with those that could be meant, anything else is said in CLI11's words.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace scalemark::cli
