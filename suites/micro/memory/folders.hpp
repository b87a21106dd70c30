// SPDX-License-Identifier: Apache-2.0
// Folders for the files of benchmarks.
#pragma once

#include <filesystem>
#include <string>

#include "common/core/case.hpp"

namespace scalemark::micro {

/// The folder of `--data NAME=FOLDER`, else one of that name in the cache. Skips the case where
/// neither is known.
inline std::filesystem::path folder_for(const Case& c, const std::string& name) {
  const std::string given = c.inputs().data(name);
  if (!given.empty()) return given;
  const std::string& cache = c.inputs().cache();
  if (cache.empty()) c.skip("no folder for files: set --data " + name + "=FOLDER");
  return std::filesystem::path(cache) / name;
}

}  // namespace scalemark::micro
