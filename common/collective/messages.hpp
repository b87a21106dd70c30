// SPDX-License-Identifier: Apache-2.0
// A collective routine as messages, for back ends that have no function for it.
#pragma once

#include <vector>

#include "common/collective/call.hpp"

namespace scalemark::collective {

/// The messages of this rank that make up a gather, scatter, all-gather or all-to-all, with and
/// without v: every part goes straight to the rank that wants it. A rank's part for itself is a
/// message too, but not in place. Throws Unavailable for other routines.
std::vector<Transfer> messages_of(const Call& call, int rank, int size);

}  // namespace scalemark::collective
