// SPDX-License-Identifier: Apache-2.0
// Whether processes of a node may copy from each other's memory, which containers can forbid.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// Why large messages within a node may never arrive, and what helps; empty if nothing speaks for
/// it. `library`: as Environment::library_version(). `mechanism`: Open MPI's parameter
/// btl_vader_single_copy_mechanism; empty: not set. `namespaces`: the user namespace of each rank
/// of the node. Since 4.0.2 Open MPI emulates the copies where namespaces
/// differ (open-mpi/ompi pull request 6844). With 4.1.4 and ranks in containers of their own
/// messages of 64 KiB arrived so, and one of 4 MiB did not.
std::string why_messages_may_hang(std::string_view library, std::string_view mechanism,
                                  const std::vector<std::string>& namespaces);

/// Collective over the ranks of a node: that of this job.
std::string why_messages_may_hang(const Comm& node);

}  // namespace scalemark::mpi
