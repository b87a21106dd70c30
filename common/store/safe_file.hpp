// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <functional>

#include "common/store/h5.hpp"

namespace scalemark::store {

/// Writes an HDF5 file under a temporary name in the same folder, closes it, syncs it, renames it and
/// syncs the folder. A kill at any moment leaves the old file, the new one, or a temporary beside it.
/// Throws Error (disk full, not writable); the temporary is then removed.
void write_safely(const std::filesystem::path& path, const std::function<void(hid_t root)>& fill);

void sync_folder(const std::filesystem::path& folder);

}  // namespace scalemark::store
