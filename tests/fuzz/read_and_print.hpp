// SPDX-License-Identifier: Apache-2.0
// What all fuzz targets do with what they get: everything that the program would.
#pragma once

#include <filesystem>

#include "common/result/model.hpp"

namespace scalemark::fuzz {

/// Prints a run in all formats, and a comparison with itself, to nowhere; and requires that nothing
/// for a terminal has a control character.
void print(const Run& run);

/// Reads a file, in a process apart or in this one, and prints it, if it is not refused with a
/// line.
void read_and_print(const std::filesystem::path& file, bool apart);

/// A file of this process in the folder for temporary files, which tests/fuzz/run.sh has in memory.
std::filesystem::path scratch_file();

}  // namespace scalemark::fuzz
