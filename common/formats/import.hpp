// SPDX-License-Identifier: Apache-2.0
// Reads results of other programs as runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::formats {

struct ImportOptions {
  std::string format;  ///< one of import_formats(); empty = detect it from the content
  /// Number of ranks, for formats that do not contain it (OSU's collectives).
  std::optional<std::int64_t> ranks;
  /// Name of the test program, for formats that do not contain it (nccl-tests before 2.16).
  std::string program;
};

/// A run, and the side of a comparison given in the file.
struct Imported {
  Run run;
  std::string side;  ///< [A-Za-z0-9_]+ or empty
};

/// Receives the imported runs and notes.
struct ImportTaker {
  std::function<void(Imported)> run;
  /// Receives a sentence about something that was not imported or is unknown.
  std::function<void(const std::string&)> note;
};

struct ImportFormat {
  std::string name, what;
};
/// All formats in the order of the documentation.
std::vector<ImportFormat> import_formats();

/// Reads a file of another program and passes on its runs. The content is not trusted. Throws
/// InputError with file, line and what was expected; UsageError for an unknown format.
void import_file(const std::filesystem::path& file, const ImportOptions& options,
                 const ImportTaker& taker);

}  // namespace scalemark::formats
