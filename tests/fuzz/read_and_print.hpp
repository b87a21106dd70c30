// SPDX-License-Identifier: Apache-2.0
// What all fuzz targets do with what they get: everything that the program would.
#pragma once

#include <filesystem>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::fuzz {

/// Prints a run in all formats, with a comparison with itself, as a page and as all exports, to
/// nowhere; and requires that nothing has a control character, or a tag of the page's reader.
void print(const Run& run);

/// Requires that an error or a note is one line without control characters.
void require_one_line(const std::string& text);

/// Reads a file, in a process apart or in this one, and prints it, if it is not refused with a
/// line.
void read_and_print(const std::filesystem::path& file, bool apart);

/// A file of this process in the folder for temporary files, which tests/fuzz/run.sh has in memory.
std::filesystem::path scratch_file();

}  // namespace scalemark::fuzz
