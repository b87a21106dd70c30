// SPDX-License-Identifier: Apache-2.0
// MPI's one-sided calls. What a timed access does beyond MPI's own work is one virtual call, a loop
// over its messages and a switch.
#include "common/collective/mpi_access.hpp"

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
  explicit AccessOperation(BoundAccess access) : access_(std::move(access)) {}
  void start() final { run(); }
  bool test() final { return true; }
  void wait() final {}

 protected:
  BoundAccess access_;
};

class IdleAccess final : public AccessOperation {
 public:
  using AccessOperation::AccessOperation;
  void run() override {}
};

class FlushedAccess final : public AccessOperation {
 public:
  FlushedAccess(BoundAccess access, Epochs& epochs, bool local)
      : AccessOperation(std::move(access)), epochs_(epochs), local_(local) {
    check_mpi(MPI_Win_lock(MPI_LOCK_SHARED, access_.peer, 0, access_.window));
    epochs_.locked = access_.peer;
    epochs_.unflushed = local_;
  }
  ~FlushedAccess() override {
    MPI_Win_unlock(access_.peer, access_.window);
    epochs_ = {.fenced = epochs_.fenced};
  }
  void run() override {
    access_.begin();
    check_mpi(local_ ? MPI_Win_flush_local(access_.peer, access_.window)
                     : MPI_Win_flush(access_.peer, access_.window));
  }

 private:
  Epochs& epochs_;
  bool local_;
};

class LockedAccess final : public AccessOperation {
 public:
  using AccessOperation::AccessOperation;
  void run() override {
    check_mpi(MPI_Win_lock(MPI_LOCK_SHARED, access_.peer, 0, access_.window));
    access_.begin();
    check_mpi(MPI_Win_unlock(access_.peer, access_.window));
  }
};

class AllLockedAccess final : public AccessOperation {
 public:
  using AccessOperation::AccessOperation;
  void run() override {
    check_mpi(MPI_Win_lock_all(0, access_.window));
    access_.begin();
    check_mpi(MPI_Win_unlock_all(access_.window));
  }
};

/// One fence an access: the one that ends an epoch begins the next.
class FencedAccess final : public AccessOperation {
 public:
  FencedAccess(BoundAccess access, Epochs& epochs)
      : AccessOperation(std::move(access)), epochs_(epochs) {
    check_mpi(MPI_Win_fence(0, access_.window));
    ++epochs_.fenced;
  }
  /// A fence that nothing follows begins no epoch.
  ~FencedAccess() override { --epochs_.fenced; }
  void run() override {
    access_.begin();
    check_mpi(MPI_Win_fence(0, access_.window));
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
  PostedAccess(BoundAccess access, const std::vector<int>& accessors)
      : AccessOperation(std::move(access)),
        peer_(access_.window, {access_.peer}),
        accessors_(access_.window, accessors),
        is_accessed_(!accessors.empty()) {}
  void run() override {
    if (is_accessed_) check_mpi(MPI_Win_post(accessors_.get(), 0, access_.window));
    if (access_.kind != Access::Kind::none) {
      check_mpi(MPI_Win_start(peer_.get(), 0, access_.window));
      access_.begin();
      check_mpi(MPI_Win_complete(access_.window));
    }
    if (is_accessed_) check_mpi(MPI_Win_wait(access_.window));
  }

 private:
  Group peer_, accessors_;
  bool is_accessed_;
};

}  // namespace

std::unique_ptr<Operation> make_mpi_access(BoundAccess bound, const Access& access,
                                           Epochs& epochs) {
  if (epochs.locked >= 0) throw Error("a window can have one operation with flush only");
  if (access.sync == Sync::fence) return std::make_unique<FencedAccess>(std::move(bound), epochs);
  if (access.sync == Sync::pscw)
    return std::make_unique<PostedAccess>(std::move(bound), access.accessors);
  if (access.kind == Access::Kind::none) return std::make_unique<IdleAccess>(std::move(bound));
  if (access.sync == Sync::lock) return std::make_unique<LockedAccess>(std::move(bound));
  if (access.sync == Sync::lock_all) return std::make_unique<AllLockedAccess>(std::move(bound));
  return std::make_unique<FlushedAccess>(std::move(bound), epochs,
                                         access.sync == Sync::flush_local);
}

}  // namespace scalemark::collective
