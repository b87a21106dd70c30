// SPDX-License-Identifier: Apache-2.0
// What is on a disk after its machine lost power, made from recorded calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/common/store/file_calls.hpp"

namespace scalemark::test {

/// What becomes of a change that no sync had made durable.
enum class Unsynced {
  data_lost,   ///< names are as they were, contents as at the file's last sync
  names_lost,  ///< contents are complete, names as at the folder's last sync
  any,         ///< each change is on the disk or not, by chance
};

/// How far the calls came.
struct CallsDone {
  std::size_t durable = 0;  ///< the first ones, which are on the disk in any case
  std::size_t count = 0;    ///< all that were done before the power was lost
};

/// Makes in `to`, an empty folder, what remains of `from` if the power was lost after `done` of
/// `calls`. A file's contents are durable when the file was synced, its name when its folder was.
/// POSIX promises no more; file systems with a journal do. A rename is done in both folders or in
/// none.
void lose_power(const std::vector<FileCall>& calls, CallsDone done, Unsynced what,
                std::uint64_t seed, const std::filesystem::path& from,
                const std::filesystem::path& to);

/// The remarks before call `count`.
std::vector<std::string> marks_before(const std::vector<FileCall>& calls, std::size_t count);

}  // namespace scalemark::test
