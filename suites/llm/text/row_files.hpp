// SPDX-License-Identifier: Apache-2.0
// Which files a data set is in, where a folder is given as it was downloaded.
#pragma once

#include <filesystem>
#include <vector>

namespace scalemark::llm {

enum class RowForm { json, csv, tsv };

/// By the name: .csv, .tsv, also before a part's number (set.tsv-00000-of-00010); all else is JSON.
RowForm form_of(const std::filesystem::path& file);

/// `path` itself if it is a file. Of a folder the files of one form (.json and .jsonl, .csv, or
/// .tsv), in the order of their names: those with "train" in the name if there are any, else all;
/// never those for tests or validation, nor descriptions of the set (dataset_info). Throws
/// InputError if there are none, or files of several forms.
std::vector<std::filesystem::path> row_files(const std::filesystem::path& path);

}  // namespace scalemark::llm
