// SPDX-License-Identifier: Apache-2.0
// The layout of a result file in HDF5: writing and reading its two kinds of groups.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/result/model.hpp"
#include "common/store/h5.hpp"

namespace scalemark::store {

constexpr const char* kFormat = "scalemark-result";
constexpr int kMajor = 1;

/// Everything of a run but its cases, into the root of an open file.
void write_header(hid_t root, const Run& run);
/// Throws InputError for another format or a newer major version.
Run read_header(hid_t root);

/// One case, as a new group /cases/<nnnnnn>.
void write_case(hid_t root, const CaseResult& result);
/// Calls `take` for each case of an open file, one after the other: a large file needs the memory
/// of one case. Without `samples` the numbers of a metric stay empty. Throws InputError that names
/// the case.
void for_each_case(hid_t root, bool samples, const std::function<void(CaseResult)>& take);
/// All cases of an open file by index.
std::vector<CaseResult> read_cases(hid_t root, bool samples);

/// "000123"
std::string case_name(std::size_t index);

}  // namespace scalemark::store
