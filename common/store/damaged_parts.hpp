// SPDX-License-Identifier: Apache-2.0
// Parts that cannot be read any more: set aside, so that they block no other case.
#pragma once

#include <filesystem>
#include <set>

namespace scalemark::store {

/// What set_aside_damaged() did.
struct SetAside {
  std::size_t files = 0;        ///< moved
  std::set<std::size_t> cases;  ///< that can be read no more
  bool others = false;          ///< one of the files does not even tell which cases it held
};

/// Moves segments and batches that cannot be read as a whole into the folder PARTS.damaged, and
/// logs each with the reason. Cases of a batch that can be read stay, as segments. With `apart`, a
/// child process reads first, which a process that has initialised MPI must not start. Throws
/// Error.
SetAside set_aside_damaged(const std::filesystem::path& parts, bool apart);

}  // namespace scalemark::store
