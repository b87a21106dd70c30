// SPDX-License-Identifier: Apache-2.0
// `scalemark show --explain`: what the steps of trainings consist of, by measured rows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scalemark::cli {

/// Prints, for each training among the rows of `files` whose key holds the regular expression
/// `filter` (empty: all), its components with the time that rows of the same files give them, their
/// sum, the step and what is not explained. `format`: table or json. Returns 4 where rows are
/// missing, with the commands that measure them, or where there is no training. Throws InputError
/// for files of different machines.
int explain_runs(const std::vector<std::filesystem::path>& files, const std::string& filter,
                 const std::string& format);

}  // namespace scalemark::cli
