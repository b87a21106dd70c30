// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a c10d process group find each other.
#pragma once

#include <functional>
#include <string>

#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "common/mpi/comm.hpp"

namespace scalemark::torch_support {

struct Rendezvous {
  c10::intrusive_ptr<c10d::Store> store;  ///< served by rank 0, on a port that the system chose
  std::string address;  ///< of this rank's host: numeric, and loopback if all ranks are on one node
};

/// Collective. Throws Error on all ranks where one of them cannot take part.
Rendezvous meet(const mpi::Comm& ranks);

/// Collective. `work` of every rank, then a check: if it threw on one rank, all throw Error with
/// the text of the lowest such rank.
void all_or_none(const mpi::Comm& ranks, const std::function<void()>& work);

}  // namespace scalemark::torch_support
