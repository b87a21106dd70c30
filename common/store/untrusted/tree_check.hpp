// SPDX-License-Identifier: Apache-2.0
// Checks the structure of an untrusted HDF5 file before any data are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "common/store/h5/h5.hpp"

namespace scalemark::store {

/// Limits for a whole file. Real results are far below them: the deepest object (samples of a
/// metric) is at depth 6, and 10,000 cases have 300,000 objects.
struct TreeLimits {
  std::size_t depth = 8;
  std::size_t objects = 2'000'000;
  /// Bytes that all datasets together may unpack to, whatever the file's size.
  std::uint64_t unpacked = std::uint64_t{64} << 20;
  /// Above that, the maximum ratio of unpacked bytes to file size. Compressed clock times reach a
  /// ratio of 5; constant columns compress more but are a small part of a large file.
  std::uint64_t expansion = 100;
};

/// Walks through all groups and datasets of an open file without reading data. Checks that links
/// are hard and each object has one name (so there are no loops), and that types, shapes, filters
/// and sizes are those of a result file. Throws InputError that names the object.
void check_tree(hid_t root, const TreeLimits& limits = {});

/// Calls `read`; an InputError that it throws gets `path` as prefix.
void naming(const std::filesystem::path& path, const std::function<void()>& read);

/// Opens a file for reading and runs check_tree(). Throws InputError that names the file.
h5::Id open_result(const std::filesystem::path& path);

}  // namespace scalemark::store
