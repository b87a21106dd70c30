// SPDX-License-Identifier: Apache-2.0
// MPI's one-sided calls. What a timed access does beyond MPI's own work is one virtual call, a loop
// over its messages and a switch.
#include "common/collective/mpi_access.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "common/base/error.hpp"

namespace scalemark::collective {

void BoundAccess::begin_at(std::size_t offset) const {
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

namespace {

/// Operations that are complete when they return.
class AccessOperation : public Operation {
 public:
  AccessOperation(BoundAccesses accesses, MPI_Win window)
      : accesses_(std::move(accesses.all)), window_(window) {}
  void start() final { run(); }
  bool test() final { return true; }
  void wait() final {}

 protected:
  void begin() const {
    for (const BoundAccess& access : accesses_) access.begin();
  }
  MPI_Win window() const { return window_; }
  /// The ranks that are accessed, each once.
  std::vector<int> peers() const {
    std::set<int> found;
    for (const BoundAccess& access : accesses_)
      if (access.kind != Access::Kind::none) found.insert(access.peer);
    return {found.begin(), found.end()};
  }

 private:
  std::vector<BoundAccess> accesses_;
  MPI_Win window_;
};

class IdleAccess final : public AccessOperation {
 public:
  using AccessOperation::AccessOperation;
  void run() override {}
};

/// With several peers all ranks are locked and flushed at once.
class FlushedAccess final : public AccessOperation {
 public:
  FlushedAccess(BoundAccesses accesses, MPI_Win window, Epochs& epochs, bool local)
      : AccessOperation(std::move(accesses), window), epochs_(epochs), local_(local) {
    const std::vector<int> ranks = peers();
    if (ranks.size() == 1) peer_ = ranks.front();
    check_mpi(locks_all() ? MPI_Win_lock_all(0, window)
                          : MPI_Win_lock(MPI_LOCK_SHARED, peer_, 0, window));
    epochs_.locked = peer_;
    epochs_.unflushed = local_;
  }
  ~FlushedAccess() override {
    if (locks_all())
      MPI_Win_unlock_all(window());
    else
      MPI_Win_unlock(peer_, window());
    epochs_ = {.fenced = epochs_.fenced};
  }
  void run() override {
    begin();
    if (local_)
      check_mpi(locks_all() ? MPI_Win_flush_local_all(window())
                            : MPI_Win_flush_local(peer_, window()));
    else
      check_mpi(locks_all() ? MPI_Win_flush_all(window()) : MPI_Win_flush(peer_, window()));
  }

 private:
  bool locks_all() const { return peer_ == Epochs::kAll; }

  Epochs& epochs_;
  int peer_ = Epochs::kAll;
  bool local_;
};

class LockedAccess final : public AccessOperation {
 public:
  LockedAccess(BoundAccesses accesses, MPI_Win window)
      : AccessOperation(std::move(accesses), window), peers_(peers()) {}
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
  FencedAccess(BoundAccesses accesses, MPI_Win window, Epochs& epochs)
      : AccessOperation(std::move(accesses), window), epochs_(epochs) {
    check_mpi(MPI_Win_fence(0, window));
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

/// Ranks of a window's communicator as MPI's group.
class Group {
 public:
  Group(MPI_Win window, const std::vector<int>& ranks) {
    MPI_Group all = MPI_GROUP_NULL;
    check_mpi(MPI_Win_get_group(window, &all));
    const int code = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
    MPI_Group_free(&all);
    check_mpi(code);
  }
  ~Group() { MPI_Group_free(&group_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  MPI_Group get() const { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

/// Post and start do not wait for each other, so that ranks may access one another.
class PostedAccess final : public AccessOperation {
 public:
  PostedAccess(BoundAccesses accesses, MPI_Win window, const std::vector<int>& accessors)
      : AccessOperation(std::move(accesses), window),
        peers_(window, peers()),
        accessors_(window, accessors),
        accesses_(!peers().empty()),
        is_accessed_(!accessors.empty()) {}
  void run() override {
    if (is_accessed_) check_mpi(MPI_Win_post(accessors_.get(), 0, window()));
    if (accesses_) {
      check_mpi(MPI_Win_start(peers_.get(), 0, window()));
      begin();
      check_mpi(MPI_Win_complete(window()));
    }
    if (is_accessed_) check_mpi(MPI_Win_wait(window()));
  }

 private:
  Group peers_, accessors_;
  bool accesses_, is_accessed_;
};

}  // namespace

std::unique_ptr<Operation> make_mpi_access(BoundAccesses bound, MPI_Win window, Epochs& epochs) {
  if (epochs.locked != Epochs::kNobody)
    throw Error("a window can have one operation with flush only");
  if (bound.sync == Sync::fence)
    return std::make_unique<FencedAccess>(std::move(bound), window, epochs);
  if (bound.sync == Sync::pscw) {
    const std::vector<int> accessors = bound.accessors;
    return std::make_unique<PostedAccess>(std::move(bound), window, accessors);
  }
  const bool idles = std::ranges::all_of(
      bound.all, [](const BoundAccess& one) { return one.kind == Access::Kind::none; });
  if (idles) return std::make_unique<IdleAccess>(std::move(bound), window);
  if (bound.sync == Sync::lock) return std::make_unique<LockedAccess>(std::move(bound), window);
  if (bound.sync == Sync::lock_all)
    return std::make_unique<AllLockedAccess>(std::move(bound), window);
  const bool local = bound.sync == Sync::flush_local;
  return std::make_unique<FlushedAccess>(std::move(bound), window, epochs, local);
}

}  // namespace scalemark::collective
