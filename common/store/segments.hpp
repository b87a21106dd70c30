// SPDX-License-Identifier: Apache-2.0
// The finished cases of a run under way: a segment each, later many in one batch.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "common/result/model.hpp"
#include "common/store/h5/h5.hpp"

namespace scalemark::store {

/// So many segments become one batch.
constexpr std::size_t kBatch = 256;

/// c000123.h5: one case.
std::filesystem::path segment_path(const std::filesystem::path& parts, std::size_t index);
/// Whether `name` is that of a segment, or of a batch (b000001.h5).
bool is_segment(const std::string& name);
bool is_batch(const std::string& name);
/// Durable when it returns.
void write_segment(const std::filesystem::path& parts, const CaseResult& result);

/// Which file holds each finished case, by index. A case may stand in a batch and in a segment,
/// since a kill came between, or in several files, since it got further sweeps: the segment, or the
/// latest batch, has all of it.
std::map<std::size_t, std::filesystem::path> places_of_cases(const std::filesystem::path& parts);
/// Calls `take` for each of these cases with the open file that holds it.
void for_each_place(const std::map<std::size_t, std::filesystem::path>& places,
                    const std::function<void(hid_t root, std::size_t index)>& take);
/// Calls `take` for each finished case, by index, holding one at a time. Throws InputError that
/// names the file.
void for_each_segment(const std::filesystem::path& parts, bool samples,
                      const std::function<void(CaseResult)>& take);

/// One case of a file that this process has written, or read whole before.
CaseResult read_known_case(const std::filesystem::path& path, std::size_t index, bool samples);

/// Removes the batches of which every case stands elsewhere, by `places` of places_of_cases().
void remove_superseded(const std::filesystem::path& parts,
                       const std::map<std::size_t, std::filesystem::path>& places);

/// Puts the cases of all segments into one new batch and removes the segments. A kill at any moment
/// leaves each case in its segment, in the batch, or in both. Throws Error, with all segments still
/// there. Returns where the cases stand now.
std::map<std::size_t, std::filesystem::path> compact_segments(const std::filesystem::path& parts);

/// Bytes that the cases of a folder take at most once they are written into one file.
std::uintmax_t bytes_of_parts(const std::filesystem::path& parts);

}  // namespace scalemark::store
