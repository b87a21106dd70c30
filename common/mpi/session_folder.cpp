// SPDX-License-Identifier: Apache-2.0
// Measures the room in the folder of the launcher's session.
#include "common/mpi/session_folder.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::mpi {
namespace {

// PMIx 4 maps two files of 4 MiB and a few small ones, and grows them with the job.
constexpr std::uint64_t kNeeded = (std::uint64_t{8} << 20) + (256 << 10);

/// Bytes of the blocks that are taken in a folder already.
std::uint64_t bytes_taken(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::uint64_t bytes = 0;
  std::error_code ignored;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(folder, skip, ignored);
       at != fs::recursive_directory_iterator(); at.increment(ignored)) {
    struct stat found {};
    if (lstat(at->path().c_str(), &found) == 0)
      bytes += static_cast<std::uint64_t>(found.st_blocks) * 512;
  }
  return bytes;
}

}  // namespace

void check_session_folder() {
  const char* store = std::getenv("PMIX_GDS_MODULE");
  const char* folder = std::getenv("PMIX_SERVER_TMPDIR");
  if (store == nullptr || folder == nullptr || !std::string_view(store).starts_with("ds")) return;
  struct statvfs room {};
  if (statvfs(folder, &room) != 0) return;
  const std::uint64_t free = std::uint64_t{room.f_bavail} * room.f_frsize;
  // Another rank of this node may have made them.
  if (free >= kNeeded || free + bytes_taken(folder) >= kNeeded) return;
  throw Error(
      fmt::format("{} has {:.1f} MiB left. MPI_Init needs {:.1f} MiB there, and would wait for "
                  "ever: make room, or set TMPDIR to a folder "
                  "that has it",
                  text::printable(folder, 200), static_cast<double>(free) / (1 << 20),
                  static_cast<double>(kNeeded) / (1 << 20)));
}

}  // namespace scalemark::mpi
