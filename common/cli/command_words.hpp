// SPDX-License-Identifier: Apache-2.0
// Names, values and help texts of all options, read from CLI11. Shell completion and manual pages
// share them, so neither can differ from --help.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace scalemark::cli {

/// What a shell offers for a value.
enum class ValueKind { none, choice, file, benchmark, preset, axis };

struct OptionWords {
  std::vector<std::string>
      names;  ///< as written: "-o", "--output"; the name in capitals of a positional
  ValueKind kind = ValueKind::none;  ///< none: a flag
  std::vector<std::string> choices;  ///< for kind choice
  std::string value;                 ///< what --help calls the value: TEXT, INT; empty for a flag
  std::string doc;
  bool positional = false;
  bool many = false;  ///< the option may be repeated or take several values
};

struct CommandWords {
  std::string name, doc, footer;
  std::vector<OptionWords> options;  ///< positionals too
};

/// All subcommands of the program with their options, in the order of --help.
std::vector<CommandWords> command_words(const CLI::App& app);

}  // namespace scalemark::cli
