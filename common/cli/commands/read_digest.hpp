// SPDX-License-Identifier: Apache-2.0
// A run read from a file and reduced on the way.
#pragma once

#include <filesystem>
#include <vector>

#include "common/compare/digest.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {

/// Reads case by case and keeps the digest only: the samples of a run need not fit into memory.
/// `also`, where its functions are set, sees the header and each case, too. Throws InputError.
compare::RunDigest read_digest(const std::filesystem::path& file, const RunVisitor& also = {});

/// Of all runs that the paths stand for (find_runs()), in their order; parts of a run are joined.
/// `also` sees what each of them holds.
std::vector<compare::RunDigest> read_digests(const std::vector<std::filesystem::path>& paths,
                                             const RunVisitor& also = {});

}  // namespace scalemark::cli
