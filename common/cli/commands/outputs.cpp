// SPDX-License-Identifier: Apache-2.0
// Checks before and after writing output.
#include "common/cli/commands/outputs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/mpi/environment.hpp"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

/// First bytes of every HDF5 file without a user block.
constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";

std::string shown(const fs::path& path) { return text::printable(path.string(), 400); }

bool is_hdf5(const fs::path& path) {
  std::string begin(kSignature.size(), '\0');
  std::ifstream stream(path, std::ios::binary);
  return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
         begin == kSignature;
}

/// Whether `output` is `input`, or a file in the .parts folder `input`.
bool lies_in(const fs::path& output, const fs::path& input) {
  std::error_code ignored;
  if (fs::equivalent(output, input, ignored)) return true;
  return input.filename().extension() == ".parts" &&
         fs::equivalent(fs::absolute(output).parent_path(), input, ignored);
}

}  // namespace

int checked_output(int code) {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  const int problem = errno;
  if (flushed && std::ferror(stdout) == 0 && std::cout) return code;
  if (mpi::promised_rank() == 0) {
    fmt::print(stderr, "scalemark: standard output could not be written{}{}\n",
               problem != 0 ? ": " : "", problem != 0 ? std::strerror(problem) : "");
  }
  return code == static_cast<int>(ExitCode::usage) ? code : static_cast<int>(ExitCode::failed);
}

void refuse_inputs(const fs::path& output, std::span<const fs::path> inputs) {
  const auto is = [&](const fs::path& input) { return lies_in(output, input); };
  const auto found = std::find_if(inputs.begin(), inputs.end(), is);
  if (found == inputs.end()) return;
  throw UsageError(fmt::format("--output is \"{}\", which is read, too ({}); allowed: another file",
                               shown(output), shown(*found)));
}

void refuse_results(const fs::path& output) {
  const fs::file_status there = fs::symlink_status(output);
  if (!fs::exists(there)) return;
  if (!fs::is_regular_file(there))
    throw UsageError(fmt::format("--output is \"{}\", which is not a regular file", shown(output)));
  if (is_hdf5(output)) {
    throw UsageError(fmt::format(
        "--output is \"{}\", which is a result file; allowed: any other file", shown(output)));
  }
}

}  // namespace scalemark::cli
