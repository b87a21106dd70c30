// SPDX-License-Identifier: Apache-2.0
// Parses the title line and the column names of OSU's tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/formats/input.hpp"
#include "common/formats/osu/osu_tests.hpp"
#include "common/result/point.hpp"

namespace scalemark::formats {

struct OsuTitle {
  std::string name;           ///< of Scalemark's benchmark, or osu/ and the title
  Point params;               ///< from the title; in tables printed by Scalemark all but the size
  bool by_scalemark = false;  ///< printed by Scalemark: `params` are complete
  const OsuTest* test = nullptr;  ///< null if Scalemark has no such test
  std::string tool, version;      ///< the program that measured
};

/// Parses "# OSU MPI-CUDA Allreduce Latency Test v7.4", with or without Scalemark's addition.
/// Throws InputError at `lines` for any other line.
OsuTitle osu_title_of(std::string_view line, const Lines& lines);

/// Sets where the data are (host, device, managed, host_device), as keys of the test express it.
void set_memory(OsuTitle& said, const std::string& memory);

/// The column names in the heading line, without its #.
std::vector<std::string> osu_column_names(std::string_view header);

}  // namespace scalemark::formats
