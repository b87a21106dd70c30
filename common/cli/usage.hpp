// SPDX-License-Identifier: Apache-2.0
// Error messages for invalid command lines.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace scalemark::cli {

/// The message for an error of app.parse(). An unknown subcommand or option is printed with similar
/// names; other errors keep CLI11's text.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace scalemark::cli
