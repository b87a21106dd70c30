// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "common/store/h5/h5.hpp"

namespace scalemark::store {

/// Files above this size are written by HDF5 piece by piece, after reserve_space(): in memory they
/// are there twice for a moment.
inline constexpr std::uintmax_t kMaxInMemory = std::uintmax_t{128} << 20;

/// How write_safely() works.
struct SafeWrite {
  std::filesystem::path
      staging;  ///< for the temporary, on the same file system; default: beside it
  std::function<void(hid_t root)> check;  ///< looks at the temporary before it is renamed
  bool in_memory = true;  ///< made in memory first; off for files that memory may not hold
};

/// Writes an HDF5 file under a temporary name, closes it, has it checked, syncs it, renames it and
/// syncs the folder. A kill at any moment leaves the old file or the new one, and perhaps a
/// temporary. Throws Error (disk full, not writable); the temporary is then removed and the old
/// file still there.
void write_safely(const std::filesystem::path& path, const std::function<void(hid_t root)>& fill,
                  const SafeWrite& how = {});

/// Throws Error unless `bytes` can really be written in `folder`: it tries, since free space as
/// counted says nothing about quotas.
void reserve_space(const std::filesystem::path& folder, std::uintmax_t bytes);

/// Name in `folder` under which this process makes `name`.
std::filesystem::path temporary_for(const std::filesystem::path& folder, const std::string& name);

/// Whether `name` is that of such a temporary, of whatever process.
bool is_temporary(const std::string& name);

}  // namespace scalemark::store
