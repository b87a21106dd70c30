// SPDX-License-Identifier: Apache-2.0
// MPI's one-sided calls. What a timed access does beyond MPI's own work is one virtual call, a loop
// over its messages and a switch.
#include "common/collective/mpi_access.hpp"

#include <set>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/mpi/group.hpp"

namespace scalemark::collective {

void BoundAccess::begin_at(std::size_t offset, MPI_Win window) const {
  const auto there = displacement + static_cast<MPI_Aint>(offset);
  void* const from = origin + offset;
  switch (kind) {
    case Access::Kind::put:
      return check_mpi(MPI_Put(from, count, type, peer, there, count, type, window));
    case Access::Kind::get:
      return check_mpi(MPI_Get(from, count, type, peer, there, count, type, window));
    case Access::Kind::accumulate:
      return check_mpi(MPI_Accumulate(from, count, type, peer, there, count, type, op, window));
    case Access::Kind::get_accumulate:
      return check_mpi(MPI_Get_accumulate(from, count, type, result + offset, count, type, peer,
                                          there, count, type, op, window));
    case Access::Kind::fetch_and_op:
      return check_mpi(MPI_Fetch_and_op(from, result + offset, type, peer, there, op, window));
    case Access::Kind::compare_and_swap:
      return check_mpi(
          MPI_Compare_and_swap(from, compare, result + offset, type, peer, there, window));
    case Access::Kind::none:
      return;
  }
}

void flush(int locked, MPI_Win window) {
  check_mpi(locked == Epochs::kAll ? MPI_Win_flush_all(window) : MPI_Win_flush(locked, window));
}

namespace {

/// Operations that are complete when they return.
class AccessOperation : public Operation {
 public:
  explicit AccessOperation(BoundAccesses accesses) : accesses_(std::move(accesses)) {}
  void start() final { run(); }
  bool test() final { return true; }
  void wait() final {}

 protected:
  void begin() const {
    for (const BoundAccess& access : accesses_.all) access.begin(accesses_.window);
  }
  MPI_Win window() const { return accesses_.window; }
  /// The ranks that are accessed, each once.
  std::vector<int> peers() const {
    std::set<int> found;
    for (const BoundAccess& access : accesses_.all) found.insert(access.peer);
    return {found.begin(), found.end()};
  }
  const std::vector<int>& accessors() const { return accesses_.accessors; }

 private:
  BoundAccesses accesses_;
};

class IdleAccess final : public AccessOperation {
 public:
  using AccessOperation::AccessOperation;
  void run() override {}
};

/// With several peers all ranks are locked and flushed at once.
class FlushedAccess final : public AccessOperation {
 public:
  FlushedAccess(BoundAccesses accesses, Epochs& epochs, bool local)
      : AccessOperation(std::move(accesses)), epochs_(epochs), local_(local) {
    const std::vector<int> ranks = peers();
    if (ranks.size() == 1) locked_ = ranks.front();
    check_mpi(locks_all() ? MPI_Win_lock_all(0, window())
                          : MPI_Win_lock(MPI_LOCK_SHARED, locked_, 0, window()));
    epochs_.locked = locked_;
    epochs_.unflushed = local_;
  }
  ~FlushedAccess() override {
    if (locks_all())
      MPI_Win_unlock_all(window());
    else
      MPI_Win_unlock(locked_, window());
    epochs_ = {.fenced = epochs_.fenced};
  }
  void run() override {
    begin();
    if (!local_) return flush(locked_, window());
    check_mpi(locks_all() ? MPI_Win_flush_local_all(window())
                          : MPI_Win_flush_local(locked_, window()));
  }

 private:
  bool locks_all() const { return locked_ == Epochs::kAll; }

  Epochs& epochs_;
  int locked_ = Epochs::kAll;
  bool local_;
};

class LockedAccess final : public AccessOperation {
 public:
  explicit LockedAccess(BoundAccesses accesses)
      : AccessOperation(std::move(accesses)), peers_(peers()) {}
  void run() override {
    for (const int peer : peers_) check_mpi(MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, window()));
    begin();
    for (const int peer : peers_) check_mpi(MPI_Win_unlock(peer, window()));
  }

 private:
  std::vector<int> peers_;
};

class AllLockedAccess final : public AccessOperation {
 public:
  using AccessOperation::AccessOperation;
  void run() override {
    check_mpi(MPI_Win_lock_all(0, window()));
    begin();
    check_mpi(MPI_Win_unlock_all(window()));
  }
};

/// One fence an access: the one that ends an epoch begins the next.
class FencedAccess final : public AccessOperation {
 public:
  FencedAccess(BoundAccesses accesses, Epochs& epochs)
      : AccessOperation(std::move(accesses)), epochs_(epochs) {
    check_mpi(MPI_Win_fence(0, window()));
    ++epochs_.fenced;
  }
  /// A fence that nothing follows begins no epoch.
  ~FencedAccess() override { --epochs_.fenced; }
  void run() override {
    begin();
    check_mpi(MPI_Win_fence(0, window()));
  }

 private:
  Epochs& epochs_;
};

/// The ranks of a window's communicator.
MPI_Group group_of(MPI_Win window) {
  MPI_Group all = MPI_GROUP_NULL;
  check_mpi(MPI_Win_get_group(window, &all));
  return all;
}

/// Post and start do not wait for each other, so that ranks may access one another.
class PostedAccess final : public AccessOperation {
 public:
  explicit PostedAccess(BoundAccesses accesses)
      : AccessOperation(std::move(accesses)),
        accesses_any_(!peers().empty()),
        is_accessed_(!accessors().empty()),
        peers_(mpi::Group(group_of(window())), peers()),
        accessors_(mpi::Group(group_of(window())), accessors()) {}
  void run() override {
    if (is_accessed_) check_mpi(MPI_Win_post(accessors_.get(), 0, window()));
    if (accesses_any_) {
      check_mpi(MPI_Win_start(peers_.get(), 0, window()));
      begin();
      check_mpi(MPI_Win_complete(window()));
    }
    if (is_accessed_) check_mpi(MPI_Win_wait(window()));
  }

 private:
  bool accesses_any_, is_accessed_;
  mpi::Group peers_, accessors_;
};

}  // namespace

std::unique_ptr<Operation> make_mpi_access(BoundAccesses bound, Epochs& epochs) {
  if (epochs.locked != Epochs::kNobody)
    throw Error("a window can have one operation with flush only");
  const Sync sync = bound.sync;
  if (sync == Sync::fence) return std::make_unique<FencedAccess>(std::move(bound), epochs);
  if (sync == Sync::pscw) return std::make_unique<PostedAccess>(std::move(bound));
  if (bound.all.empty()) return std::make_unique<IdleAccess>(std::move(bound));
  if (sync == Sync::lock) return std::make_unique<LockedAccess>(std::move(bound));
  if (sync == Sync::lock_all) return std::make_unique<AllLockedAccess>(std::move(bound));
  return std::make_unique<FlushedAccess>(std::move(bound), epochs, sync == Sync::flush_local);
}

}  // namespace scalemark::collective
