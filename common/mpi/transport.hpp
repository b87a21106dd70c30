// SPDX-License-Identifier: Apache-2.0
// How the MPI library transports messages, from its control variables.
#pragma once

#include <map>
#include <string>

namespace scalemark::mpi {

/// Values of the MPI_T control variables that decide how messages travel, by name: the components
/// requested, how processes of a node copy from each other, and whether waiting processes yield. In
/// Open MPI, btl_vader_single_copy_mechanism (cma, xpmem, knem, none) changes bandwidth by a factor
/// of 3. Variables that the library does not have are left out. Call after MPI_Init.
std::map<std::string, std::string> transport_facts();

}  // namespace scalemark::mpi
