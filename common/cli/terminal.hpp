// SPDX-License-Identifier: Apache-2.0
// Properties of the program's output: terminal or not, colours, columns, character set.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace scalemark::cli {

/// One of the program's output streams.
struct Stream {
  bool terminal = false;    ///< its output goes to a terminal
  std::size_t columns = 0;  ///< of the terminal; 0 = unknown
};

/// The stream behind a file descriptor. A launcher gives its ranks pipes or pseudo terminals,
/// wherever its own output goes. Under a launcher this is therefore the launcher's own descriptor.
/// If the launcher runs on another machine, SCALEMARK_TERMINAL decides (columns; 0 = no terminal);
/// without it there is no terminal.
Stream stream_of(int descriptor);

/// Reads an environment variable.
using Variables = std::function<std::optional<std::string>(const char*)>;
std::optional<std::string> variable(const char* name);

/// Whether to print colours. The first of these that is set decides: `option` (always, never);
/// NO_COLOR (not empty: off); FORCE_COLOR and CLICOLOR_FORCE (neither empty nor 0: on). Otherwise
/// colours are on for a terminal with a TERM other than dumb.
bool use_color(const std::string& option, const Stream& stream,
               const Variables& variables = variable);

/// Columns to print: COLUMNS if it is a number from 20 to 10,000, else those of the terminal, else
/// 80 on a terminal and 100 elsewhere.
std::size_t output_width(const Stream& stream, const Variables& variables = variable);

/// Columns for tables on stdout: of the terminal, or COLUMNS. 0 = a file or pipe, where nothing is
/// cut.
std::size_t table_width();

/// Whether the locale's characters are UTF-8 (LC_ALL, LC_CTYPE, LANG: the first that is not empty).
bool knows_unicode(const Variables& variables = variable);

/// Adds --color auto, always or never.
void add_color_option(CLI::App& command, std::string& color);

}  // namespace scalemark::cli
