// SPDX-License-Identifier: Apache-2.0
// Windows by MPI. What a timed access does beyond MPI's own work is one virtual call and a switch.
#include "common/collective/one_sided.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/collective/mpi_operation.hpp"
#include "common/collective/mpi_types.hpp"
#include "common/collective/names.hpp"
#include "common/mpi/environment.hpp"
#include "common/mpi/shared_window.hpp"

namespace scalemark::collective {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 5> kSyncs = {"flush", "fence", "lock", "lock_all",
                                                    "flush_local"};

constexpr std::size_t kMaxElements = std::numeric_limits<int>::max();

/// Each rank's part begins on a cache line, though libraries may lay the parts of a node's ranks
/// one behind the other.
constexpr std::size_t kPartUnit = 64;

/// An access in MPI's terms.
struct BoundAccess {
  Access::Kind kind = Access::Kind::none;
  void* origin = nullptr;
  void* result = nullptr;
  const void* compare = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int peer = 0;
  MPI_Aint displacement = 0;
  MPI_Op op = MPI_OP_NULL;
  MPI_Win window = MPI_WIN_NULL;
  Keep keep = {};

  void begin() const {
    switch (kind) {
      case Access::Kind::put:
        return check_mpi(MPI_Put(origin, count, type, peer, displacement, count, type, window));
      case Access::Kind::get:
        return check_mpi(MPI_Get(origin, count, type, peer, displacement, count, type, window));
      case Access::Kind::accumulate:
        return check_mpi(
            MPI_Accumulate(origin, count, type, peer, displacement, count, type, op, window));
      case Access::Kind::get_accumulate:
        return check_mpi(MPI_Get_accumulate(origin, count, type, result, count, type, peer,
                                            displacement, count, type, op, window));
      case Access::Kind::fetch_and_op:
        return check_mpi(MPI_Fetch_and_op(origin, result, type, peer, displacement, op, window));
      case Access::Kind::compare_and_swap:
        return check_mpi(
            MPI_Compare_and_swap(origin, compare, result, type, peer, displacement, window));
      case Access::Kind::none:
        return;
    }
  }
};

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

/// What the operations of a window hold.
struct Epochs {
  int locked = -1;         ///< the peer whose memory this rank has locked
  bool unflushed = false;  ///< where that may have to be told of accesses
  int fenced = 0;          ///< operations that end by fences
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

/// Open MPI 4.1 has no windows between nodes over TCP under MPI_THREAD_MULTIPLE, for instance.
std::string refusal(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (code == MPI_SUCCESS || MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    return "MPI made no window on another rank";
  return fmt::format("MPI makes no window of these ranks: {}", text);
}

/// Where ranks of a node swap in the window of MPI_Win_allocate, Open MPI 4's component osc/rdma
/// gives a number to the transport of shared memory that this does not understand.
bool swaps_crash_within_a_node() {
  if (!mpi::Environment::library_version().starts_with("Open MPI v4.")) return false;
  const char* const chosen = std::getenv("OMPI_MCA_osc");
  if (chosen == nullptr) return true;
  const std::string_view names = chosen;
  const bool is_named = names.find("rdma") != std::string_view::npos;
  return names.starts_with('^') ? !is_named : is_named;
}

class MpiWindow final : public OneSided {
 public:
  MpiWindow(const mpi::Comm& ranks, std::size_t bytes) : ranks_(ranks.duplicate()), bytes_(bytes) {
    const std::size_t whole =
        (std::max<std::size_t>(bytes, 1) + kPartUnit - 1) / kPartUnit * kPartUnit;
    const auto sharing = static_cast<std::size_t>(ranks.split_node().size());
    swap_ends_processes_ = ranks.max(sharing > 1 && swaps_crash_within_a_node() ? 1 : 0) == 1;
    mpi::require_shared_memory(ranks, sharing > 1 ? sharing * whole : 0);
    require_window(MPI_Win_allocate(static_cast<MPI_Aint>(whole), 1, MPI_INFO_NULL, ranks_.get(),
                                    &base_, &window_));
  }
  /// On `memory`, which is on a device and lives as long as the window.
  MpiWindow(const mpi::Comm& ranks, std::size_t bytes, std::unique_ptr<device::Buffer> memory)
      : ranks_(ranks.duplicate()), bytes_(bytes), memory_(std::move(memory)) {
    base_ = memory_->data();
    require_window(MPI_Win_create(base_, static_cast<MPI_Aint>(memory_->bytes()), 1, MPI_INFO_NULL,
                                  ranks_.get(), &window_));
  }
  ~MpiWindow() override {
    if (window_ == MPI_WIN_NULL) return;
    if (std::uncaught_exceptions() == 0)
      MPI_Win_free(&window_);
    else
      static_cast<void>(memory_.release());  // others may still reach it
  }

  std::string_view backend() const override { return "mpi"; }
  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  std::span<std::byte> local() const override { return {static_cast<std::byte*>(base_), bytes_}; }

  std::string why_not(const Access& access) const override {
    if (access.kind == Access::Kind::compare_and_swap) return why_no_swap(access.type);
    if (!access.reduces()) return {};
    if (memory_) return "an accumulate works on host memory only";
    if (types_.reducing(access.type) == MPI_DATATYPE_NULL || types_.op(access.op) == MPI_OP_NULL)
      return fmt::format("MPI accumulates no {} of {}", to_string(access.op),
                         to_string(access.type));
    if (access.count > kMaxElements)
      return fmt::format("MPI accumulates {} elements at most", kMaxElements);
    return {};
  }

  std::unique_ptr<Operation> prepare(const Access& access) override {
    BoundAccess bound = bind(access);
    if (epochs_.locked >= 0) throw Error("a window can have one operation with flush only");
    if (access.sync == Sync::fence)
      return std::make_unique<FencedAccess>(std::move(bound), epochs_);
    if (access.kind == Access::Kind::none) return std::make_unique<IdleAccess>(std::move(bound));
    if (access.sync == Sync::lock) return std::make_unique<LockedAccess>(std::move(bound));
    if (access.sync == Sync::lock_all) return std::make_unique<AllLockedAccess>(std::move(bound));
    return std::make_unique<FlushedAccess>(std::move(bound), epochs_,
                                           access.sync == Sync::flush_local);
  }

  void publish() override {
    // No lock while fences are under way, and otherwise one, but not the same one twice.
    if (epochs_.fenced > 0) return check_mpi(MPI_Win_fence(0, window_));
    if (epochs_.unflushed) check_mpi(MPI_Win_flush(epochs_.locked, window_));
    ranks_.barrier();
    const bool has_lock = epochs_.locked == rank();
    if (!has_lock) check_mpi(MPI_Win_lock(MPI_LOCK_SHARED, rank(), 0, window_));
    check_mpi(MPI_Win_sync(window_));
    if (!has_lock) check_mpi(MPI_Win_unlock(rank(), window_));
    ranks_.barrier();
  }

 private:
  std::string why_no_swap(DType type) const {
    if (type != DType::int8 && type != DType::int32 && type != DType::int64)
      return fmt::format("MPI compares and swaps no {}", to_string(type));
    if (memory_) return "a swap works on host memory only";
    if (!swap_ends_processes_) return {};
    return "Open MPI 4 would end the process (open-mpi/ompi issue 11349); set OMPI_MCA_osc=^rdma";
  }
  /// Collective. Throws Unavailable on all ranks where one of them got no window.
  void require_window(int code) {
    if (ranks_.max(code == MPI_SUCCESS ? 0 : 1) != 0) throw Unavailable(refusal(code));
    check_mpi(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
  }

  BoundAccess bind(const Access& access) const {
    BoundAccess bound{.kind = access.kind,
                      .origin = access.origin,
                      .result = access.result,
                      .compare = access.compare,
                      .count = 1,
                      .type = types_.moving(access.type),
                      .peer = access.peer,
                      .displacement = 0,
                      .op = MPI_OP_NULL,
                      .window = window_};
    if (access.kind == Access::Kind::none) return bound;
    if (const std::string why = why_not(access); !why.empty()) throw Unavailable(why);
    if (access.is_single() && access.count != 1)
      throw Error(fmt::format("{} elements, where MPI takes one", access.count));
    if (access.reduces() || access.is_single()) bound.type = types_.reducing(access.type);
    if (access.reduces()) bound.op = types_.op(access.op);
    const std::size_t element = size_of(access.type), room = bytes_ / element;
    if (access.count > room || access.displacement > room - access.count) {
      throw Error(fmt::format("elements {} to {} of a window of {}", access.displacement,
                              access.displacement + access.count, room));
    }
    bound.displacement = static_cast<MPI_Aint>(access.displacement * element);
    if (access.count <= kMaxElements) {
      bound.count = static_cast<int>(access.count);
    } else {
      const auto big = std::make_shared<BigType>(access.count, bound.type, element);
      bound.type = big->get();
      bound.keep.push_back(big);
    }
    return bound;
  }

  mpi::Comm ranks_;
  std::size_t bytes_;
  std::unique_ptr<device::Buffer> memory_;  ///< of a window on a device
  void* base_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  MpiTypes types_;
  Epochs epochs_;
  bool swap_ends_processes_ = false;
};

}  // namespace

std::string_view to_string(Sync sync) { return kSyncs.at(static_cast<std::size_t>(sync)); }
Sync sync_from(std::string_view text) {
  return static_cast<Sync>(index_of_name(kSyncs, text, "synchronisation"));
}

std::unique_ptr<OneSided> make_mpi_window(const mpi::Comm& ranks, std::size_t bytes) {
  return std::make_unique<MpiWindow>(ranks, bytes);
}

std::unique_ptr<OneSided> make_mpi_device_window(const mpi::Comm& ranks, std::size_t bytes,
                                                 device::Device& device) {
  std::unique_ptr<device::Buffer> memory;
  std::string problem;
  try {
    memory = std::make_unique<device::Buffer>(
        device.allocate(std::max<std::size_t>(bytes, 1), device::MemoryKind::device));
  } catch (const Error& error) {
    problem = error.what();
  }
  if (ranks.max(memory ? 0 : 1) != 0)
    throw OutOfMemory(problem.empty() ? "another rank has no device memory for a window" : problem);
  return std::make_unique<MpiWindow>(ranks, bytes, std::move(memory));
}

}  // namespace scalemark::collective
