// SPDX-License-Identifier: Apache-2.0
// Reads /proc/PID/stat.
#include "common/base/process.hpp"

#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark {

std::optional<ProcessStat> process_stat(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid), std::ios::binary);
  const std::string line{std::istreambuf_iterator<char>(file), {}};
  // The line is "PID (NAME) STATE PARENT ...", and NAME may contain any character. STATE is field
  // 3, the start time field 22.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 2 > line.size()) return std::nullopt;
  const std::vector<std::string> fields = text::split(line.substr(name_end + 2), ' ');
  if (fields.size() < 20 || fields[0].empty()) return std::nullopt;
  return ProcessStat{fields[0][0], static_cast<int>(text::parse_integer(fields[1]).value_or(0)),
                     fields[19]};
}

}  // namespace scalemark
