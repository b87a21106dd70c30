// SPDX-License-Identifier: Apache-2.0
// How the ranks of a case agree. Every harness step of a case that communicates is one and the same
// collective, so a rank that failed can always answer it with its failure: whatever the others are
// about to agree on, they learn of it, and nobody waits for ever.
#pragma once

#include <cstdint>
#include <string>

#include "common/mpi/comm.hpp"
#include "common/result/model.hpp"

namespace scalemark {

/// Why a rank leaves a case early; the worst one wins. `none` must be 0.
enum class Failure : std::int64_t {
  none = 0,
  skip = 1,
  unavailable = 2,
  oom = 3,
  failed = 4,
  wrong_data = 5
};

/// The status of a case that ended so.
Status status_of(Failure failure);

/// Thrown on the ranks of a case when an exchange brought another rank's failure.
struct PeerFailed {
  Failure failure = Failure::failed;
  int rank = 0;  ///< in the case's ranks
  std::string text;
};

/// What a rank brings to an exchange. A flag comes back true if any rank set it, a number as the
/// largest of all ranks.
struct Votes {
  std::int64_t nanoseconds = 0;  ///< time of this rank's last batch of samples
  bool objects = false;          ///< this rank is against what is being asked
  bool needs_samples = false;    ///< the stop rule does not hold yet for this rank's samples
  bool clock_is_old = false;     ///< this rank's clock should be synchronised again
};

/// Collective over `ranks`. Throws PeerFailed if some rank answered with fail().
Votes exchange(const mpi::Comm& ranks, Votes mine = {});

/// Collective over `ranks`. The largest `value` of all; unlike ranks.max(), a rank that failed can
/// answer it.
std::int64_t largest(const mpi::Comm& ranks, std::int64_t value);

/// Collective over `ranks`. An exchange without votes, before a step in which ranks wait for each
/// other.
void throw_if_peer_failed(const mpi::Comm& ranks);

/// Collective over `ranks`: for a rank that another one's failure freed from a wait. Returns the
/// failure that all agree on.
PeerFailed await_failure(const mpi::Comm& ranks);

/// Collective over `ranks`: the answer of a rank that failed, to whichever exchange the others are
/// in. Returns the failure that all agree on: the worst, by the lowest rank that has it.
PeerFailed fail(const mpi::Comm& ranks, Failure failure, const std::string& text);

}  // namespace scalemark
