// SPDX-License-Identifier: Apache-2.0
// NCCL's version numbers, and which one can run this program. Also in builds without NCCL.
#pragma once

#include <string>

#include "common/mpi/comm.hpp"

namespace scalemark::collective {

/// "2.28.9" for 22809.
std::string nccl_version_text(int version);

/// Collective. Throws Unavailable on all ranks alike if any rank loaded an NCCL older than the one
/// it was compiled with (as NCCL_VERSION_CODE); the text names both.
void require_nccl(const mpi::Comm& ranks, int loaded, int compiled);

}  // namespace scalemark::collective
