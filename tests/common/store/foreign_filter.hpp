// SPDX-License-Identifier: Apache-2.0
// A filter that nobody but its maker knows, and that changes nothing.
#pragma once

#include <cstddef>

#include <hdf5.h>

namespace scalemark::test {

constexpr H5Z_filter_t kForeignFilterId = 32015;

inline const H5Z_class2_t kForeignFilter = {
    H5Z_CLASS_T_VERS,
    kForeignFilterId,
    1,
    1,
    "foreign",
    nullptr,
    nullptr,
    [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) {
      return bytes;
    }};

}  // namespace scalemark::test
