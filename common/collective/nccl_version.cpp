// SPDX-License-Identifier: Apache-2.0
// Compares the NCCL that was loaded with the one that was compiled with.
#include "common/collective/nccl_version.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::collective {

std::string nccl_version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void require_nccl(const mpi::Comm& ranks, int loaded, int compiled) {
  const std::string mine =
      loaded >= compiled ? std::string()
                         : fmt::format(
                               "NCCL {} was loaded, which is older than {}, the one of this build: "
                               "take its folder out of LD_LIBRARY_PATH, or unload its module",
                               nccl_version_text(loaded), nccl_version_text(compiled));
  for (const std::string& one : ranks.all_gather(mine)) {
    if (!one.empty()) throw Unavailable(one);
  }
}

}  // namespace scalemark::collective
