// SPDX-License-Identifier: Apache-2.0
// Arguments of `show`, and its table over several runs.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/print/printer.hpp"

namespace scalemark::cli {

struct ShownRuns {
  std::vector<std::filesystem::path> files;  ///< result files and .parts folders; at least one
  std::string filter;                        ///< CASE; empty = all
};

/// Separates paths from CASE in `show PATH... [CASE]`. The first word is a path. A later word is a
/// path if it names a file or a folder of runs, or ends in .h5 or .parts. Throws UsageError for a
/// second CASE, InputError for a folder without runs (the message lists its contents).
ShownRuns shown_runs(const std::vector<std::string>& words);

/// Throws UsageError, before reading anything, for a format that cannot show several runs.
int show_runs(const ShownRuns& runs, const std::string& format, const PrintOptions& print);

}  // namespace scalemark::cli
