// SPDX-License-Identifier: Apache-2.0
// Which nodes still answer, asked by watchdogs when nobody on their own node stands out.
#pragma once

#include <string>
#include <vector>

#include "common/mpi/comm.hpp"

namespace scalemark {

/// A node whose ranks are all stopped or gone has nobody left to say so. So the first rank of each
/// node tells those of the others that it is there, when it has waited too long; who says nothing
/// is named. Messages go over a communicator of its own, from the watchdog's thread, and only where
/// MPI lets threads send at any time (MPI_THREAD_MULTIPLE).
class RollCall {
 public:
  /// Collective over `world`. `is_first`: of its node; `name` is how messages call this rank.
  RollCall(const mpi::Comm& world, bool is_first, const std::string& name);

  /// Whether this rank speaks for its node, and there are others.
  bool speaks() const { return heard_.size() > 1; }
  /// Forgets who was heard.
  void begin();
  /// Tells the others that this node is there, and listens. Costs microseconds; call it again and
  /// again. Errors of MPI are taken for silence.
  void call();
  /// Listens, and answers if somebody called: for a rank that waits for nothing itself.
  void answer();
  /// The first ranks of the nodes that were not heard since begin(), separated by commas.
  std::string missing() const;

 private:
  bool listen();

  mpi::Comm firsts_;  ///< the first rank of every node; invalid on others
  std::vector<std::string> names_;
  std::vector<bool> heard_;
};

}  // namespace scalemark
