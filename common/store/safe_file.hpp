// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <functional>

#include "common/store/h5.hpp"

namespace scalemark::store {

/// Writes an HDF5 file under a temporary name in `staging` (on the same file system; the folder of
/// `path` if empty), closes it, has it checked, syncs it, renames it and syncs the folder. A kill
/// at any moment leaves the old file or the new one, and perhaps a temporary. Throws Error (disk
/// full, not writable); the temporary is then removed and the old file still there.
void write_safely(const std::filesystem::path& path, const std::function<void(hid_t root)>& fill,
                  const std::filesystem::path& staging = {},
                  const std::function<void(hid_t root)>& check = {});

/// Throws Error unless `bytes` can really be written in `folder`: it tries, since free space as
/// counted says nothing about quotas.
void reserve_space(const std::filesystem::path& folder, std::uintmax_t bytes);

/// Whether `name` is that of a temporary of write_safely() or reserve_space().
bool is_temporary(const std::string& name);

}  // namespace scalemark::store
