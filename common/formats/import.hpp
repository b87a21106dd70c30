// SPDX-License-Identifier: Apache-2.0
// Results of other programs as runs.
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
  std::string format;  ///< one of import_formats(); empty = by the file's content
  /// Ranks that took part, for formats that do not say it (OSU's collectives).
  std::optional<std::int64_t> ranks;
  /// The program that printed, for formats that do not say it (nccl-tests before 2.16).
  std::string program;
};

/// A run, and the side of a comparison that it is said to belong to.
struct Imported {
  Run run;
  std::string side;  ///< [A-Za-z0-9_]+ or empty
};

/// Who gets what is read.
struct ImportTaker {
  std::function<void(Imported)> run;
  /// What was not imported, or not known, in a sentence.
  std::function<void(const std::string&)> note;
};

struct ImportFormat {
  std::string name, what;
};
/// In the order of the documentation.
std::vector<ImportFormat> import_formats();

/// Reads a file of another program and hands on its runs. The content is hostile until checked.
/// Throws InputError that names file, line and what was expected; UsageError for an unknown format.
void import_file(const std::filesystem::path& file, const ImportOptions& options,
                 const ImportTaker& taker);

}  // namespace scalemark::formats
