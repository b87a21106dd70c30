// SPDX-License-Identifier: Apache-2.0
// What `show` is given, and its table over several runs.
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

/// Tells paths from CASE in `show PATH... [CASE]`: the first word is a path; a later one is where
/// it names a file, a folder of runs, or ends in .h5 or .parts. Throws UsageError for a second
/// CASE, InputError for a folder without runs: it says what is in it.
ShownRuns shown_runs(const std::vector<std::string>& words);

/// Throws UsageError for a format that has no words for several runs, before anything is read.
int show_runs(const ShownRuns& runs, const std::string& format, const PrintOptions& print);

}  // namespace scalemark::cli
