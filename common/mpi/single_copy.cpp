// SPDX-License-Identifier: Apache-2.0
// Looks at user namespaces: the kernel lets no process copy from one in another namespace.
#include "common/mpi/single_copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>

#include "common/mpi/environment.hpp"

namespace scalemark::mpi {

std::string why_messages_may_hang(std::string_view library, std::string_view mechanism,
                                  const std::vector<std::string>& namespaces) {
  const bool all_alike =
      std::ranges::adjacent_find(namespaces, std::not_equal_to{}) == namespaces.end();
  if (all_alike || mechanism == "none" || !library.starts_with("Open MPI v4.")) return {};
  return "ranks of a node run in containers of their own, where large messages of Open MPI 4 can "
         "hang: let them share one (apptainer exec --sharens, ch-run --join) or set "
         "OMPI_MCA_btl_vader_single_copy_mechanism=none";
}

std::string why_messages_may_hang(const Comm& node) {
  std::error_code error;
  const std::string own = std::filesystem::read_symlink("/proc/self/ns/user", error).string();
  const char* const mechanism = std::getenv("OMPI_MCA_btl_vader_single_copy_mechanism");
  return why_messages_may_hang(Environment::library_version(), mechanism ? mechanism : "",
                               node.all_gather(own));
}

}  // namespace scalemark::mpi
