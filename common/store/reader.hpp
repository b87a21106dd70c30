// SPDX-License-Identifier: Apache-2.0
// Reading result files: finished ones, and the parts of a run that is under way or was killed.
#pragma once

#include <filesystem>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark {

struct ReadOptions {
  bool samples = true;
};

/// A finished file, or a folder OUT.h5.parts. The content is hostile until checked: external
/// storage, links, foreign filters and sizes beyond the limits are refused. Throws InputError with
/// one line. From parts, cases that were begun and not finished come back as `failed` with their
/// last phase.
Run read_run(const std::filesystem::path& file_or_parts, const ReadOptions& options = {});

/// The runs that a path stands for: a file or a parts folder itself, or all of them in a folder,
/// sorted. A parts folder whose finished file exists is left out. Throws InputError if there is
/// none.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& file_parts_or_folder);

}  // namespace scalemark
