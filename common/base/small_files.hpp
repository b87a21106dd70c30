// SPDX-License-Identifier: Apache-2.0
// Reads small files of the kernel.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark {

constexpr std::size_t kMaxFact = 1024;  ///< maximum bytes of a stored value

/// First line of `path` below `root`; "unavailable: /path" if it cannot be read.
inline std::string first_line(const std::filesystem::path& root, const std::string& path) {
  std::ifstream file(root / path);
  std::string line;
  if (!std::getline(file, line)) return "unavailable: /" + path;
  return text::printable(line, kMaxFact);
}

/// Whether a fact was found: its text does not begin with "unavailable".
inline bool is_available(const std::string& fact) { return !fact.starts_with("unavailable"); }

/// The value after `key` and a separator in a file such as /proc/cpuinfo or /etc/os-release.
inline std::string field_of(const std::filesystem::path& root, const std::string& path,
                            const std::string& key, char separator) {
  std::ifstream file(root / path);
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t at = line.find(separator);
    if (at == std::string::npos || !line.starts_with(key)) continue;
    std::string value = line.substr(at + 1);
    std::erase(value, '"');
    value.erase(0, std::min(value.find_first_not_of(" \t"), value.size()));
    return text::printable(value, kMaxFact);
  }
  return fmt::format("unavailable: no {} in /{}", key, path);
}

/// Identifies the start of this system; containers on it have the same. Empty if it is unknown.
inline std::string boot_id() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

/// Names in a folder, sorted; at most `most`, in the order in which the system lists them. Empty if
/// the folder cannot be read.
inline std::vector<std::string> names_in(
    const std::filesystem::path& folder,
    std::size_t most = std::numeric_limits<std::size_t>::max()) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator one(folder, error), end; !error && one != end;
       one.increment(error)) {
    if (names.size() == most) break;
    names.push_back(one->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace scalemark
