// SPDX-License-Identifier: Apache-2.0
// By which ways the MPI library moves messages, as its own control variables say.
#pragma once

#include <map>
#include <string>

namespace scalemark::mpi {

/// Values of the MPI library's control variables (MPI_T) that decide how messages travel, by name:
/// which components were asked for, how processes of a node copy from each other (in Open MPI
/// btl_vader_single_copy_mechanism: cma, xpmem, knem, none; a factor of 3 in bandwidth), whether
/// waiting processes yield. What the library does not have is left out. After MPI_Init.
std::map<std::string, std::string> transport_facts();

}  // namespace scalemark::mpi
