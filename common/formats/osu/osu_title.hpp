// SPDX-License-Identifier: Apache-2.0
// The title line of a table of OSU, and the names of its columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/formats/input.hpp"
#include "common/formats/osu/osu_tests.hpp"
#include "common/result/value.hpp"

namespace scalemark::formats {

struct OsuTitle {
  std::string name;  ///< of our benchmark, or osu/ and the title
  Params params;     ///< as far as the title says them; of a table of ours all but the size
  bool ours = false;
  const OsuTest* test = nullptr;  ///< null of one that we do not have
  std::string tool, version;      ///< of the program that measured
};

/// "# OSU MPI-CUDA Allreduce Latency Test v7.4", with or without our note behind it. Throws
/// InputError at `lines` for any other line.
OsuTitle osu_title_of(std::string_view line, const Lines& lines);

/// Where the data are (host, device, managed, host_device), as keys of that test say it.
void set_memory(OsuTitle& said, const std::string& memory);

/// The names in the line above the rows, behind its #.
std::vector<std::string> osu_column_names(std::string_view header);

}  // namespace scalemark::formats
