// SPDX-License-Identifier: Apache-2.0
// The folder OUT.h5.parts: header, segments of finished cases, journal, lock.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "common/result/model.hpp"
#include "common/store/journal.hpp"
#include "common/store/reader.hpp"

namespace scalemark::store {

constexpr const char* kMetaName = "meta.h5";
constexpr const char* kJournalName = "journal";
/// A case that was begun so often and never finished is given up; at once where a rank ended the
/// job because memory was lacking, which a further try would lack again.
constexpr int kTries = 3;

void write_meta(const std::filesystem::path& parts, const Run& run);
Run read_meta(const std::filesystem::path& parts);
/// Cases of the plan that were begun and have no segment, or none of the sweep that was begun.
std::vector<Begun> read_unfinished(const std::filesystem::path& parts, const Run& header);

/// Header, then by index finished cases, and the begun ones as rows of interrupted_case().
void visit_parts(const std::filesystem::path& parts, bool samples, const RunVisitor& visitor);

/// The row of a case that was begun and never finished: `oom` if a rank said so before it ended the
/// job, the prediction did not fit into the memory of the first node, or the kernel killed a
/// process for lack of memory meanwhile; else `failed`.
CaseResult interrupted_case(const Run& header, const Begun& begun, const MemoryState& now);

/// The same with what the sweeps before it have left of the case.
CaseResult interrupted_row(const std::filesystem::path& parts, const Run& header,
                           const Begun& begun, const MemoryState& now);

/// Merges into one file, reads that back, renames it to `output`, and removes the parts. On an
/// error the parts are still there, and so is an earlier `output`.
void merge(const std::filesystem::path& parts, const std::filesystem::path& output,
           const Run& header);

/// Removes everything but the lock. Throws Error, and removes nothing, if the folder holds
/// something that is no part of a run.
void clear_parts(const std::filesystem::path& parts);
/// The same, with the lock and the folder itself.
void remove_parts(const std::filesystem::path& parts);

}  // namespace scalemark::store

namespace scalemark {

/// Makes a result file of the parts of a run that did not end. Throws UsageError if `output` exists
/// and `force` is off, or the run is still under way; InputError if `parts` is none, or one of them
/// is refused by a process apart, which reads all first (ReadOptions::apart).
void finalize_parts(const std::filesystem::path& parts, const std::filesystem::path& output,
                    bool force);

}  // namespace scalemark
