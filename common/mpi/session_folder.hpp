// SPDX-License-Identifier: Apache-2.0
// The folder in which launcher and ranks share files.
#pragma once

namespace scalemark::mpi {

/// Before MPI_Init. Throws Error if PMIx is about to make its shared files (PMIX_GDS_MODULE) in a
/// folder without room for them: MPI_Init would then be killed by SIGBUS, or wait for ever, and
/// mpirun with it.
void check_session_folder();

}  // namespace scalemark::mpi
