// SPDX-License-Identifier: Apache-2.0
// The folder OUT.h5.parts: header, one segment a finished case, journal.
#pragma once

#include <filesystem>
#include <map>

#include "common/result/model.hpp"

namespace scalemark::store {

constexpr const char* kMetaName = "meta.h5";
constexpr const char* kJournalName = "journal";
/// A case that was begun so often and never finished is given up.
constexpr int kTries = 3;

/// c000123.h5
std::filesystem::path segment_path(const std::filesystem::path& parts, std::size_t index);
void write_meta(const std::filesystem::path& parts, const Run& run);
/// Durable when it returns.
void write_segment(const std::filesystem::path& parts, const CaseResult& result);
Run read_meta(const std::filesystem::path& parts);
/// The finished cases, by index.
std::map<std::size_t, CaseResult> read_segments(const std::filesystem::path& parts, bool samples);

/// Header, finished cases, and the begun ones as `failed` (or `oom` when the prediction did not fit) rows.
Run read_parts(const std::filesystem::path& parts, bool samples);

/// The row of a case that was begun and never finished.
CaseResult interrupted_case(const Run& header, std::size_t index, int tries, const std::string& phase,
                            std::uint64_t predicted_memory);

/// Merges into one file beside its final name, reads it back, renames it, and removes the parts.
void merge(const std::filesystem::path& parts, const std::filesystem::path& output, const Run& header);

}  // namespace scalemark::store

namespace scalemark {

/// Makes a result file of the parts of a run that did not end. Throws UsageError if `output` exists and
/// `force` is off, InputError if `parts` is none.
void finalize_parts(const std::filesystem::path& parts, const std::filesystem::path& output, bool force);

}  // namespace scalemark
