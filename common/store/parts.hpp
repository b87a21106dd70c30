// SPDX-License-Identifier: Apache-2.0
// The folder OUT.h5.parts of a run under way: header, finished cases, journal, lock.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "common/result/model.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/journal.hpp"
#include "common/store/lock.hpp"
#include "common/store/reader.hpp"

namespace scalemark::store {

constexpr const char* kMetaName = "meta.h5";
constexpr const char* kJournalName = "journal";
/// After this many tries without finishing, a case is given up. It is given up at once if a rank
/// ended the job for lack of memory, because another try would fail in the same way.
constexpr int kTries = 3;

/// The folder with the parts of this output.
std::filesystem::path parts_of(const std::filesystem::path& output);

void write_meta(const std::filesystem::path& parts, const Run& run);
Run read_meta(const std::filesystem::path& parts);
/// Planned cases that have started but have no stored result, or lack the sweep that had started.
/// With `whole`, throws InputError for a batch that cannot be read; otherwise its cases count as
/// not stored.
std::vector<Begun> read_unfinished(const std::filesystem::path& parts, const Run& header,
                                   bool whole = false);

/// Calls `visitor` with the header and then with the cases in order of index. Cases that started
/// and did not finish appear as interrupted_row().
void visit_parts(const std::filesystem::path& parts, const ReadOptions& options,
                 const RunVisitor& visitor);

/// Result of a case that started and did not finish. Its status is `oom` in three cases, otherwise
/// `failed`:
/// - A rank reported `oom` before it ended the job.
/// - The predicted memory did not fit into the first node.
/// - The kernel has killed a process for lack of memory since the case started.
CaseResult interrupted_case(const Run& header, const Begun& begun, const MemoryState& now);

/// interrupted_case(), appended to the stored sweeps of the case, if any.
CaseResult interrupted_row(const std::filesystem::path& parts, const Run& header,
                           const Begun& begun, const MemoryState& now);

/// Writes one file in place of the parts: `fill_cases` writes header and cases, and returns how
/// many. Reads the file back, renames it to `output` and removes the parts with their lock. Errors
/// as of merge().
void write_merged(const std::filesystem::path& parts, const std::filesystem::path& output,
                  bool replace, Lock& lock,
                  const std::function<std::size_t(hid_t root)>& fill_cases);
/// Merges parts that this process may open into one file, reads it back, renames it to `output` and
/// removes the parts. On an error, the parts and an earlier `output` remain. Without `replace` it
/// is an error if `output` exists.
void merge(const std::filesystem::path& parts, const std::filesystem::path& output,
           const Run& header, bool replace, Lock& lock);

/// Removes everything but the lock. Throws Error, and removes nothing, if the folder contains files
/// that are not parts of a run.
void clear_parts(const std::filesystem::path& parts);
/// Removes the folder with its parts, under the same condition. It gets another name first, so that
/// a process that ends meanwhile never leaves a folder with some of its parts. `lock` is that of
/// the folder and is left.
void remove_parts(const std::filesystem::path& parts, Lock& lock);
/// Removes what a process that ended inside remove_parts() has left. Throws as clear_parts() does.
void finish_removal(const std::filesystem::path& parts);

}  // namespace scalemark::store

namespace scalemark {

/// Makes a result file from the parts of a run that did not finish. Child processes read all parts
/// (ReadOptions::apart), and this process writes what they send. Throws UsageError if `output`
/// exists and `force` is false, or if the run is still active. Throws InputError if `parts` is not
/// a parts folder, or if the child process refuses a part.
void finalize_parts(const std::filesystem::path& parts, const std::filesystem::path& output,
                    bool force);

}  // namespace scalemark
