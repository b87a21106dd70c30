// SPDX-License-Identifier: Apache-2.0
// What a test under mpirun gets from its main.
#pragma once

#include "common/mpi/comm.hpp"

namespace scalemark::test {

/// All ranks of the test.
const mpi::Comm& world();

}  // namespace scalemark::test
