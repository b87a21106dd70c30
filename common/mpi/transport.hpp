// SPDX-License-Identifier: Apache-2.0
// How the MPI library transports messages, from its control variables.
#pragma once

#include <map>
#include <string>

namespace scalemark::mpi {

/// Values of the MPI_T control variables that decide how messages travel, by name: the components
/// requested, how processes of a node copy from each other, and whether waiting processes yield. In
/// Open MPI, btl_vader_single_copy_mechanism (cma, xpmem, knem, none) changes bandwidth by a factor
/// of 3. `pml_in_use` and `smsc_in_use` are the components that Open MPI chose for messages, and
/// for copies between processes (from version 5 on). What the library does not have is left out.
/// Call while MPI runs.
std::map<std::string, std::string> transport_facts();

}  // namespace scalemark::mpi
