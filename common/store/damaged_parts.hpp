// SPDX-License-Identifier: Apache-2.0
// Parts that cannot be read any more: found by a child process, and set aside so that they block no
// other case.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace scalemark::store {

/// Who reads the parts: a child process with limits (run_apart()), or this process, where MPI is
/// initialised and a fork is not allowed.
enum class ReadIn { child, this_process };

/// Which file was read. A file that was written or replaced since then has another change time or
/// number.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed = 0;  ///< ns since 1970, st_ctim
  bool operator==(const FileIdentity&) const = default;
};

/// A segment, batch or state, and what of it can be read.
struct PartState {
  std::filesystem::path path;
  FileIdentity identity;
  std::vector<std::uint64_t> readable, damaged;  ///< cases; none for a state
  std::string problem;                           ///< the first; empty: all can be read
};

/// Reads all segments, batches and states as a whole, and changes nothing. Throws NotRead if one
/// could not be read for a reason outside of it.
std::vector<PartState> inspect_parts(const std::filesystem::path& parts, ReadIn where);

/// Throws Error if the folder holds other segments, batches or states than those that were
/// inspected.
void check_unchanged(const std::filesystem::path& parts, const std::vector<PartState>& inspected);

/// Parts of an earlier launch that were inspected, and that this launch reads again without a
/// child.
class InspectedParts {
 public:
  InspectedParts() = default;
  explicit InspectedParts(const std::vector<PartState>& inspected);
  /// From now on the file is this process's own.
  void forget(const std::filesystem::path& path) { identities_.erase(path); }
  /// Throws Error if one of the files is another one now; those that are gone are passed over.
  void check() const;
  /// The same for one file.
  void check(const std::filesystem::path& path) const;

 private:
  std::map<std::filesystem::path, FileIdentity> identities_;
};

/// What set_aside_damaged() did.
struct SetAside {
  std::size_t files = 0;        ///< moved
  std::set<std::size_t> cases;  ///< that can be read no more
  bool others = false;          ///< one of the files does not even tell which cases it held
};

/// Moves parts that cannot be read as a whole into the folder PARTS.damaged, and logs each with the
/// reason. Cases of a batch that can be read stay, as segments. Throws Error.
SetAside set_aside_damaged(const std::filesystem::path& parts,
                           const std::vector<PartState>& inspected, ReadIn where);

}  // namespace scalemark::store
