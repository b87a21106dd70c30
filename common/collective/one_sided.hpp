// SPDX-License-Identifier: Apache-2.0
// One-sided communication: memory of each rank that the others write, read and add to.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/collective/operation.hpp"
#include "common/collective/types.hpp"
#include "common/device/device.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::collective {

/// How an access is completed. `flush`: the origin holds a shared lock for the operation's
/// lifetime, and flushes each time. `lock`: it locks and unlocks each time, `lock_all` all peers.
/// `fence`: all ranks of the window end the epoch together, which starts the next one.
/// `flush_local`: as flush, but only what the origin has is complete; publish() does the rest.
/// `pscw`: the target posts and waits, the origin starts and completes; only these ranks take part.
enum class Sync { flush, fence, lock, lock_all, flush_local, pscw };
std::string_view to_string(Sync sync);
Sync sync_from(std::string_view text);  ///< Throws UsageError.

/// How the memory of a window on host memory becomes a window: by MPI_Win_allocate, by
/// MPI_Win_create on memory that exists, or by MPI_Win_attach to a window without memory.
enum class WindowCreation { allocate, create, dynamic };
std::string_view to_string(WindowCreation creation);
WindowCreation window_creation_from(std::string_view text);  ///< Throws UsageError.

/// What this rank does to the memory of `peer`; displacement and count are elements.
struct Access {
  /// `none`: a rank that only others access; it takes part where completion needs it (fence, pscw).
  enum class Kind { none, put, get, accumulate, get_accumulate, fetch_and_op, compare_and_swap };
  Kind kind = Kind::none;
  Sync sync = Sync::flush;
  int peer = 0;
  /// Written by get, read by the others. Of compare_and_swap the new value.
  void* origin = nullptr;
  /// Of the last three kinds: written with what the peer had before.
  void* result = nullptr;
  /// Of compare_and_swap: what the peer must have for the new value to replace it.
  const void* compare = nullptr;
  std::size_t displacement = 0;  ///< from the start of the peer's memory
  std::size_t count = 0;
  /// Accesses of `count` elements that are completed together. In all memories each lies behind the
  /// one before.
  std::size_t messages = 1;
  DType type = DType::int8;
  ReduceOp op = ReduceOp::sum;  ///< of accumulate, get_accumulate and fetch_and_op
  /// Of pscw: the ranks that access this one's memory meanwhile. Of several accesses that are
  /// completed together, the first one has them.
  std::vector<int> accessors;

  bool reduces() const {
    return kind == Kind::accumulate || kind == Kind::get_accumulate || kind == Kind::fetch_and_op;
  }
  /// Accumulates, and writes into `result` what the peer had before.
  bool fetches() const { return kind == Kind::get_accumulate || kind == Kind::fetch_and_op; }
  /// Works on one element.
  bool is_single() const { return kind == Kind::fetch_and_op || kind == Kind::compare_and_swap; }
};

/// A window: memory of every rank, open to all of them. Made by all ranks together, and destroyed
/// so unless an exception unwinds: then the memory is left behind.
class OneSided {
 public:
  virtual ~OneSided() = default;
  OneSided() = default;
  OneSided(const OneSided&) = delete;
  OneSided& operator=(const OneSided&) = delete;

  virtual std::string_view backend() const = 0;  ///< "mpi"
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// This rank's memory; host memory is page-wise untouched until someone writes to it.
  virtual std::span<std::byte> local() const = 0;

  /// Empty if the access' type, reduction and count work here, else why not in one line. Equal on
  /// all ranks.
  virtual std::string why_not(const Access& access) const = 0;
  /// Collective where sync is fence; with pscw, each run() waits for its peers'. run() carries out
  /// the accesses, at least one and all with the same sync, and completes them together: at the
  /// peers, too, when it returns. Operations of one window have one kind of sync at a time, and
  /// flush one operation a rank. Throws Unavailable for what why_not() names, Error for what lies
  /// outside of the window, and for another number of elements than one of fetch_and_op and
  /// compare_and_swap.
  virtual std::unique_ptr<Operation> prepare_together(std::span<const Access> accesses) = 0;
  /// The same for one access.
  std::unique_ptr<Operation> prepare(const Access& access) {
    return prepare_together({&access, 1});
  }
  /// Collective. Everything that completed operations did before, and that ranks wrote into their
  /// own memory, is seen afterwards by the ranks themselves and by operations.
  virtual void publish() = 0;
};

/// Collective over `ranks`; `bytes` of each of them in host memory, equal on all. Throws
/// OutOfMemory where the ranks of a node cannot share so much or a rank has not so much, and
/// Unavailable where MPI makes no window, on all of them alike. Open MPI 4.1 mixes up windows that
/// disjoint ranks of a node make at the same time (open-mpi/ompi pull request 9495).
std::unique_ptr<OneSided> make_mpi_window(const mpi::Comm& ranks, std::size_t bytes,
                                          WindowCreation creation = WindowCreation::allocate);

/// Collective over `ranks`. The same by MPI_Win_create on memory of `device`, which MPI must be
/// able to take; origins may lie there too. Whatever changes the peer's memory other than put is
/// refused: MPI libraries do it on the host.
std::unique_ptr<OneSided> make_mpi_device_window(const mpi::Comm& ranks, std::size_t bytes,
                                                 device::Device& device);

}  // namespace scalemark::collective
