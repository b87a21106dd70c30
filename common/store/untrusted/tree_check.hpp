// SPDX-License-Identifier: Apache-2.0
// What is looked at in a file of unknown origin before anything of it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "common/store/h5/h5.hpp"

namespace scalemark::store {

/// Bounds of a whole file. A result's own are far within: its deepest object, the samples of a
/// metric, is at depth 6, and 10,000 cases are 300,000 objects.
struct TreeLimits {
  std::size_t depth = 8;
  std::size_t objects = 2'000'000;
  /// What the datasets of a file may hold together, unpacked, whatever the file's size.
  std::uint64_t unpacked = std::uint64_t{256} << 20;
  /// Beyond that, how many times larger than the file its content may be: compressed times of a
  /// clock are 5 times as large, and constant columns no large part of a large file.
  std::uint64_t expansion = 100;
};

/// Walks through all groups and datasets of an open file and opens nothing twice: links must be
/// hard, each object has one name (so that there are no loops), types, shapes, filters and sizes
/// are those of a result file. No data are read. Throws InputError that names the object.
void check_tree(hid_t root, const TreeLimits& limits = {});

/// Calls `read`; an InputError of it says `path` first.
void naming(const std::filesystem::path& path, const std::function<void()>& read);

/// A file for reading that has passed check_tree(). Throws InputError that names the file.
h5::Id open_result(const std::filesystem::path& path);

}  // namespace scalemark::store
