// SPDX-License-Identifier: Apache-2.0
// Moves bytes between this rank and others: all of a step at once, so that no order of messages
// blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "tests/gpu/software/nccl/operation.hpp"
#include "tests/gpu/software/nccl/shared.hpp"

namespace scalemark::software_nccl {

/// Bytes to or from one peer, behind a header if there is one.
struct Piece {
  int peer = 0;
  std::optional<Header> header;
  void* data = nullptr;  ///< not written to by a send
  std::size_t bytes = 0;
};

class Exchange {
 public:
  Exchange(Shared& shared, int rank, int size);

  /// Sends and receives; pieces with the same peer in this order. Returns when all bytes of this
  /// rank are written and all that it wants are read. A header without bytes may arrive later: it
  /// is checked then, by a later call. Throws Failure: the ranks' calls differ, a rank failed,
  /// this one aborted, or nothing moved for too long.
  void run(const std::vector<Piece>& sends, const std::vector<Piece>& receives);

  /// From any thread: run() fails, now and from now on.
  void abort() { aborted_ = true; }
  const std::atomic<bool>& aborted() const { return aborted_; }

  /// Checks the headers that have arrived by now. Throws Failure.
  void check_late();

 private:
  struct Under {
    Piece piece;
    Header got;
    std::size_t header_done = 0, data_done = 0;
  };
  using Lists = std::vector<std::deque<Under>>;
  bool push(int peer);
  bool pull(int peer);
  bool waits() const;

  Shared& shared_;
  int rank_;
  std::atomic<bool> aborted_ = false;
  Lists out_, in_;  ///< by peer
};

}  // namespace scalemark::software_nccl
