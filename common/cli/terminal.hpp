// SPDX-License-Identifier: Apache-2.0
// What may be printed to the program's output: colours, how many columns, which characters.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace scalemark::cli {

/// One of the program's output streams.
struct Stream {
  bool terminal = false;    ///< somebody looks at it, directly
  std::size_t columns = 0;  ///< of the terminal; 0 = it does not say
};

/// Of a file descriptor. A launcher of MPI gives its ranks pipes or pseudo terminals whatever it
/// writes to itself, so under one it is that: the launcher's own descriptor, or, where it runs on
/// another machine, what SCALEMARK_TERMINAL says (columns; 0: no terminal), else none.
Stream stream_of(int descriptor);

/// Reads an environment variable.
using Variables = std::function<std::optional<std::string>(const char*)>;
std::optional<std::string> variable(const char* name);

/// Whether to print colours. The first that says something decides: `option` (always, never), then
/// NO_COLOR (not empty: off), then FORCE_COLOR and CLICOLOR_FORCE (neither empty nor 0: on), then
/// whether it is a terminal with a TERM other than dumb.
bool use_color(const std::string& option, const Stream& stream,
               const Variables& variables = variable);

/// Columns to print: COLUMNS where that is a number from 20 to 10,000, else those of the terminal,
/// else 80 on a terminal and 100 elsewhere.
std::size_t output_width(const Stream& stream, const Variables& variables = variable);

/// Columns for tables on stdout: of the terminal, or COLUMNS. 0 = a file or pipe, where nothing is
/// cut.
std::size_t table_width();

/// Whether the locale's characters are UTF-8 (LC_ALL, LC_CTYPE, LANG: the first that is not empty).
bool knows_unicode(const Variables& variables = variable);

/// --color auto, always or never.
void add_color_option(CLI::App& command, std::string& color);

}  // namespace scalemark::cli
