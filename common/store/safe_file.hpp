// SPDX-License-Identifier: Apache-2.0
// Writes files atomically: after a kill, a file is complete or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "common/store/h5/h5.hpp"

namespace scalemark::store {

/// How write_safely() works.
struct SafeWrite {
  std::filesystem::path
      staging;  ///< folder of the temporary, on the same file system; empty: the folder of the file
  std::function<void(hid_t root)> check;  ///< checks the temporary before it is renamed
  /// Compose the file in memory first. False for files beyond h5::whole_file_limits(), which HDF5
  /// writes to disk directly, after reserve_space().
  bool in_memory = true;
  bool replace = true;  ///< a file of that name; false: it is an error
};

/// Writes an HDF5 file under a temporary name, closes, checks and syncs it, renames it to `path`
/// and syncs the folder. A kill at any moment leaves the old file or the new one, and possibly a
/// temporary. Throws Error (disk full, not writable): the old file remains and the temporary is
/// removed.
void write_safely(const std::filesystem::path& path, const std::function<void(hid_t root)>& fill,
                  const SafeWrite& how = {});

/// Throws Error unless `bytes` can be written in `folder`. It allocates that space in a temporary
/// file, because the free space that the system reports does not include quotas.
void reserve_space(const std::filesystem::path& folder, std::uintmax_t bytes);

/// Makes names of a folder durable. Throws Error.
void sync_folder(const std::filesystem::path& folder);

}  // namespace scalemark::store
