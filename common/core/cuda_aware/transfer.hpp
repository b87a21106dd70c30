// SPDX-License-Identifier: Apache-2.0
// Parameter `transfer` of a case: the way of device memory through MPI, as the key says it.
#pragma once

#include "common/core/axis.hpp"

namespace scalemark {

/// Gives a point of back end mpi on device memory `transfer=direct` where the job hands such memory
/// to MPI as it is. Staged points have no such parameter, as before there was a choice; nor have
/// other back ends and host memory.
void choose_transfer(Point& point, const PlanContext& job, collective::DeviceUse use);

/// Whether MPI gets the case's device memory as it is.
bool is_direct(const Point& point);

}  // namespace scalemark
