// SPDX-License-Identifier: Apache-2.0
// Files with the finished cases of a run under way: segments (one case) and batches (many cases).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/result/model.hpp"
#include "common/store/h5/h5.hpp"

namespace scalemark::store {

/// Number of segments that are combined into one batch.
constexpr std::size_t kBatch = 256;

/// Path of the segment of a case, such as c000123.h5.
std::filesystem::path segment_path(const std::filesystem::path& parts, std::size_t index);
/// Whether `name` is the name of a segment, or of a batch (b000001.h5).
bool is_segment(const std::string& name);
std::optional<std::size_t> segment_index(const std::string& name);
bool is_batch(const std::string& name);
/// Writes a segment and syncs it to disk.
void write_segment(const std::filesystem::path& parts, const CaseResult& result);

/// Calls `read` again, up to 100 times, if a part vanished that it was about to open: a run under
/// way compacts its segments. Throws InputError after that.
void while_parts_move(const std::function<void()>& read);

/// All batches, then all segments, each by number.
std::vector<std::filesystem::path> part_files(const std::filesystem::path& parts);

/// Takes cases that cannot be read. Without it they are an InputError.
using TakeDamage = std::function<void(std::size_t index, const std::string& why)>;

/// Takes a batch that cannot be opened, so that nobody knows its cases. Without it that is an
/// InputError.
using TakeBatch = std::function<void(const std::string& why)>;

/// The file that holds each finished case, by index. A case may be in a batch and in a segment if
/// the run was killed during compaction, or in several files if further sweeps were added. The
/// segment, or else the latest batch, is complete.
std::map<std::size_t, std::filesystem::path> places_of_cases(const std::filesystem::path& parts,
                                                             const TakeBatch& unreadable = {});
/// Calls `take` for each of these cases with the open file that holds it. `take` may throw
/// InputError where a case cannot be read.
void for_each_place(const std::map<std::size_t, std::filesystem::path>& places,
                    const std::function<void(hid_t root, std::size_t index)>& take,
                    const TakeDamage& damaged = {});
/// Calls `take` for each finished case by index; one case is in memory at a time. Texts for
/// `damaged`, which is called in the same order, name the file. `unreadable` is called before all
/// others.
void for_each_segment(const std::filesystem::path& parts, bool samples,
                      const std::function<void(CaseResult)>& take, const TakeDamage& damaged = {},
                      const TakeBatch& unreadable = {});

/// Reads one case of a file that this process wrote or has read completely before.
CaseResult read_known_case(const std::filesystem::path& path, std::size_t index, bool samples);

/// Removes the batches whose cases are all in other files, according to `places`, the result of
/// places_of_cases().
void remove_superseded(const std::filesystem::path& parts,
                       const std::map<std::size_t, std::filesystem::path>& places);

/// Reads all cases of an open file with their samples. Throws InputError for one that cannot be
/// read, Error unless they are `written`.
void expect_readable(hid_t root, std::size_t written);

/// Moves the cases of all segments into one new batch and removes the segments. Returns the new
/// places of the cases. A kill at any moment leaves each case in its segment, in the batch, or in
/// both. Throws Error; all segments then remain.
std::map<std::size_t, std::filesystem::path> compact_segments(const std::filesystem::path& parts);

/// Upper bound of the bytes that the cases of a folder need in one merged file.
std::uintmax_t bytes_of_parts(const std::filesystem::path& parts);

}  // namespace scalemark::store
