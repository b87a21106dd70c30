// SPDX-License-Identifier: Apache-2.0
// Rendezvous of the ranks of a c10d process group.
#pragma once

#include <functional>
#include <string>

#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "common/mpi/comm.hpp"

namespace scalemark::torch_support {

struct Rendezvous {
  c10::intrusive_ptr<c10d::Store> store;  ///< served by rank 0 on a port chosen by the system
  std::string address;  ///< this rank's host: numeric; loopback if all ranks are on one node
};

/// Collective. Throws Error on all ranks if one of them fails to take part.
Rendezvous make_rendezvous(const mpi::Comm& ranks);

/// Collective. Runs `work` on every rank, then checks: if it threw on any rank, all throw Error
/// with the text of the lowest such rank.
void all_or_none(const mpi::Comm& ranks, const std::function<void()>& work);

}  // namespace scalemark::torch_support
