// SPDX-License-Identifier: Apache-2.0
// Reading result files: finished ones, and the parts of a run that is under way or was killed.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark {

struct ReadOptions {
  bool samples = true;
  /// Let a child process with little memory and time read the file and check what it sends: then a
  /// file that crashes HDF5, or never ends, is an error like any other. Off where the file is our
  /// own, and in a process that has initialised MPI, which must not fork.
  bool apart = true;
};

/// Who gets a run part by part.
struct RunVisitor {
  std::function<void(Run)> header;  ///< first, once, without cases
  std::function<void(CaseResult)> one_case;
};

/// A finished file, or a folder OUT.h5.parts. The content is hostile until checked: external
/// storage, links, foreign filters and sizes beyond the limits are refused. Throws InputError with
/// one line. From parts, cases that were begun and not finished come back as `failed` with their
/// last phase.
Run read_run(const std::filesystem::path& file_or_parts, const ReadOptions& options = {});

/// The same case by case, in the file's order: neither process holds more than one.
void visit_run(const std::filesystem::path& file_or_parts, const ReadOptions& options,
               const RunVisitor& visitor);

/// The runs that a path stands for: a file or a parts folder itself, or all of them in a folder,
/// sorted. A parts folder whose finished file exists is left out. Throws InputError if there is
/// none.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& file_parts_or_folder);

}  // namespace scalemark
