// SPDX-License-Identifier: Apache-2.0
// Reads result files, and the parts folders of runs that are under way or were killed.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark {

struct ReadOptions {
  bool samples = true;
  /// Read the file in a child process with limited memory and time, and check everything that it
  /// sends. A file that crashes HDF5 or never ends then gives an ordinary error. Turn it off for
  /// files that this process wrote, and in a process that has initialised MPI, which must not fork.
  bool apart = true;
  /// A part of a run that cannot be read is an error. Otherwise its cases are rows that say so.
  bool whole = false;
};

/// Callbacks that receive a run piece by piece.
struct RunVisitor {
  std::function<void(Run)> header;  ///< first, once, without cases
  std::function<void(CaseResult)> one_case;
};

/// Reads a result file or a folder OUT.h5.parts. The content is not trusted: external storage, soft
/// links, foreign filters and sizes beyond the limits are refused. Throws InputError with one line
/// of text. In a parts folder, cases that started and did not finish are returned with
/// status `failed` or `oom` and their last phase.
Run read_run(const std::filesystem::path& file_or_parts, const ReadOptions& options = {});

/// read_run() case by case, in the file's order: no more than one case is in memory.
void visit_run(const std::filesystem::path& file_or_parts, const ReadOptions& options,
               const RunVisitor& visitor);

/// The runs that a path stands for, sorted: a file or a parts folder itself, or all runs in a
/// folder. A parts folder is left out if its finished file exists. Throws InputError if there is
/// none.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& file_parts_or_folder);

/// Those of all paths, in their order.
std::vector<std::filesystem::path> find_all_runs(const std::vector<std::filesystem::path>& paths);

}  // namespace scalemark
