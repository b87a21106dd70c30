// SPDX-License-Identifier: Apache-2.0
// Which parts of a result file stand under which digest: the header, each case, the tables of each
// case, and the set of all cases.
#pragma once

#include <string>
#include <vector>

#include "common/store/h5/h5.hpp"

namespace scalemark::store {

/// Stores the digest of everything in the root group but cases and tables.
void seal_header(hid_t root);
/// Whether the header has a digest, as from format 1.1 on. Throws InputError if it has none where
/// it should, or if it is not that of its contents.
bool check_header(hid_t root, bool required);

/// Stores the digests of a case and of its tables, which have these names.
void seal_case(hid_t root, const std::string& case_name, const std::vector<std::string>& tables);
/// Throws InputError if a case has digests and they are not those of its contents, without the
/// values of its datasets and without its tables.
void check_case(hid_t case_group);
/// The same for its tables, without the values of their columns.
void check_tables(hid_t root, const std::string& case_name, const std::vector<std::string>& tables);

/// Stores which cases a whole file has, as a digest of their names and digests.
void seal_cases(hid_t root);
/// Throws InputError if the file has other cases than those that were sealed.
void check_cases(hid_t root);

}  // namespace scalemark::store
