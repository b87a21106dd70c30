// SPDX-License-Identifier: Apache-2.0
// Windows by MPI: their memory, what works on them, and when it is seen.
#include "common/collective/one_sided.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/collective/mpi_access.hpp"
#include "common/collective/mpi_arguments.hpp"
#include "common/collective/mpi_types.hpp"
#include "common/collective/names.hpp"
#include "common/mpi/environment.hpp"
#include "common/mpi/shared_window.hpp"

namespace scalemark::collective {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 6> kSyncs = {"flush",    "fence",       "lock",
                                                    "lock_all", "flush_local", "pscw"};
constexpr std::array<std::string_view, 3> kCreations = {"allocate", "create", "dynamic"};

/// Each rank's part begins on a cache line, though libraries may lay the parts of a node's ranks
/// one behind the other.
constexpr std::size_t kPartUnit = 64;

/// No window is empty.
std::size_t room_for(std::size_t bytes) { return std::max<std::size_t>(bytes, 1); }

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

/// Memory of this rank that is there before its window.
struct OwnMemory {
  std::shared_ptr<std::byte> start;
  bool is_on_device = false;
};

/// Page-wise untouched until someone writes to it; null where the rank has not so much.
OwnMemory host_memory(std::size_t bytes) {
  constexpr std::align_val_t kPage{4096};
  auto* const start = static_cast<std::byte*>(::operator new(bytes, kPage, std::nothrow));
  return {.start = {start, [](std::byte* mine) { ::operator delete(mine, kPage); }}};
}

class MpiWindow final : public OneSided {
 public:
  /// On memory that MPI allocates.
  MpiWindow(const mpi::Comm& ranks, std::size_t bytes) : ranks_(ranks.duplicate()), bytes_(bytes) {
    const std::size_t whole = (room_for(bytes) + kPartUnit - 1) / kPartUnit * kPartUnit;
    const auto sharing = static_cast<std::size_t>(ranks.split_node().size());
    swap_ends_processes_ = ranks.max(sharing > 1 && swaps_crash_within_a_node() ? 1 : 0) == 1;
    mpi::require_shared_memory(ranks, sharing > 1 ? sharing * whole : 0);
    require_window(MPI_Win_allocate(static_cast<MPI_Aint>(whole), 1, MPI_INFO_NULL, ranks_.get(),
                                    &base_, &window_));
  }
  /// On `memory`.
  MpiWindow(const mpi::Comm& ranks, std::size_t bytes, OwnMemory memory, WindowCreation creation)
      : ranks_(ranks.duplicate()),
        bytes_(bytes),
        memory_(std::move(memory)),
        base_(memory_.start.get()) {
    const auto whole = static_cast<MPI_Aint>(room_for(bytes));
    if (creation == WindowCreation::dynamic) {
      attach(whole);
    } else {
      require_window(MPI_Win_create(base_, whole, 1, MPI_INFO_NULL, ranks_.get(), &window_));
    }
  }
  ~MpiWindow() override {
    if (window_ == MPI_WIN_NULL) return;
    if (std::uncaught_exceptions() > 0) {
      new OwnMemory(memory_);  // never freed: others may still reach it
      return;
    }
    if (is_attached_) {
      MPI_Barrier(ranks_.get());
      MPI_Win_detach(window_, base_);
    }
    MPI_Win_free(&window_);
  }

  std::string_view backend() const override { return "mpi"; }
  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  std::span<std::byte> local() const override { return {static_cast<std::byte*>(base_), bytes_}; }

  std::string why_not(const Access& access) const override {
    if (access.kind == Access::Kind::compare_and_swap) return why_no_swap(access.type);
    if (!access.reduces()) return {};
    if (memory_.is_on_device) return "an accumulate works on host memory only";
    if (types_.reducing(access.type) == MPI_DATATYPE_NULL || types_.op(access.op) == MPI_OP_NULL)
      return fmt::format("MPI accumulates no {} of {}", to_string(access.op),
                         to_string(access.type));
    if (access.count > kMaxMpiCount)
      return fmt::format("MPI accumulates {} elements at most", kMaxMpiCount);
    return {};
  }

  std::unique_ptr<Operation> prepare_together(std::span<const Access> accesses) override {
    BoundAccesses bound{
        .window = window_, .sync = accesses.front().sync, .accessors = accesses.front().accessors};
    for (const Access& access : accesses)
      if (access.kind != Access::Kind::none) bound.all.push_back(bind(access));
    return make_mpi_access(std::move(bound), epochs_);
  }

  void publish() override {
    // No lock while fences are under way, and otherwise one, but not the same one twice.
    if (epochs_.fenced > 0) return check_mpi(MPI_Win_fence(0, window_));
    if (epochs_.unflushed) flush(epochs_.locked, window_);
    ranks_.barrier();
    const bool has_lock = epochs_.holds(rank());
    if (!has_lock) check_mpi(MPI_Win_lock(MPI_LOCK_SHARED, rank(), 0, window_));
    check_mpi(MPI_Win_sync(window_));
    if (!has_lock) check_mpi(MPI_Win_unlock(rank(), window_));
    ranks_.barrier();
  }

 private:
  std::string why_no_swap(DType type) const {
    if (!is_integer(type)) return fmt::format("MPI compares and swaps no {}", to_string(type));
    if (memory_.is_on_device) return "a swap works on host memory only";
    if (!swap_ends_processes_) return {};
    return "Open MPI 4 would end the process (open-mpi/ompi issue 11349); set OMPI_MCA_osc=^rdma";
  }
  /// Collective. Throws Unavailable on all ranks where one of them got no window.
  void require_window(int code) {
    if (ranks_.max(code == MPI_SUCCESS ? 0 : 1) != 0) throw Unavailable(refusal(code));
    check_mpi(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
  }

  /// Collective. A window without memory, to which each rank attaches its own.
  void attach(MPI_Aint bytes) {
    require_window(MPI_Win_create_dynamic(MPI_INFO_NULL, ranks_.get(), &window_));
    require_window(MPI_Win_attach(window_, base_, bytes));
    is_attached_ = true;
    MPI_Aint mine = 0;
    check_mpi(MPI_Get_address(base_, &mine));
    addresses_.resize(static_cast<std::size_t>(size()));
    check_mpi(MPI_Allgather(&mine, 1, MPI_AINT, addresses_.data(), 1, MPI_AINT, ranks_.get()));
  }

  BoundAccess bind(const Access& access) const {
    BoundAccess bound{.kind = access.kind,
                      .origin = static_cast<std::byte*>(access.origin),
                      .result = static_cast<std::byte*>(access.result),
                      .compare = access.compare,
                      .count = 1,
                      .type = types_.moving(access.type),
                      .peer = access.peer,
                      .messages = access.messages};
    if (const std::string why = why_not(access); !why.empty()) throw Unavailable(why);
    if (access.is_single() && access.count != 1)
      throw Error(fmt::format("{} elements, where MPI takes one", access.count));
    if (access.reduces() || access.is_single()) bound.type = types_.reducing(access.type);
    if (access.reduces()) bound.op = types_.op(access.op);
    require_inside(access);
    const std::size_t element = size_of(access.type);
    bound.bytes = access.count * element;
    bound.displacement = static_cast<MPI_Aint>(access.displacement * element);
    if (is_attached_) bound.displacement += addresses_.at(static_cast<std::size_t>(access.peer));
    const MpiElements moved = mpi_elements(access.count, bound.type, element, bound.keep);
    bound.count = moved.count;
    bound.type = moved.type;
    return bound;
  }

  void require_inside(const Access& access) const {
    const std::size_t room = bytes_ / size_of(access.type);
    const bool fits = access.count == 0 || access.messages <= room / access.count;
    const std::size_t elements = fits ? access.count * access.messages : room;
    if (fits && access.displacement <= room - elements) return;
    throw Error(fmt::format("{} times {} elements from {} on in a window of {}", access.messages,
                            access.count, access.displacement, room));
  }

  mpi::Comm ranks_;
  std::size_t bytes_;
  OwnMemory memory_;
  void* base_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  bool is_attached_ = false;         ///< to a dynamic window
  std::vector<MPI_Aint> addresses_;  ///< of each rank's memory there
  MpiTypes types_;
  Epochs epochs_;
  bool swap_ends_processes_ = false;
};

}  // namespace

std::string_view to_string(Sync sync) { return kSyncs.at(static_cast<std::size_t>(sync)); }
Sync sync_from(std::string_view text) {
  return static_cast<Sync>(index_of_name(kSyncs, text, "synchronisation"));
}

std::string_view to_string(WindowCreation creation) {
  return kCreations.at(static_cast<std::size_t>(creation));
}
WindowCreation window_creation_from(std::string_view text) {
  return static_cast<WindowCreation>(index_of_name(kCreations, text, "creation of a window"));
}

std::unique_ptr<OneSided> make_mpi_window(const mpi::Comm& ranks, std::size_t bytes,
                                          WindowCreation creation) {
  if (creation == WindowCreation::allocate) return std::make_unique<MpiWindow>(ranks, bytes);
  OwnMemory memory = host_memory(room_for(bytes));
  if (ranks.max(memory.start ? 0 : 1) != 0) throw OutOfMemory("a rank has no memory for a window");
  return std::make_unique<MpiWindow>(ranks, bytes, std::move(memory), creation);
}

std::unique_ptr<OneSided> make_mpi_device_window(const mpi::Comm& ranks, std::size_t bytes,
                                                 device::Device& device) {
  OwnMemory memory{.is_on_device = true};
  std::string problem;
  try {
    const auto buffer = std::make_shared<device::Buffer>(
        device.allocate(room_for(bytes), device::MemoryKind::device));
    memory.start = {buffer, static_cast<std::byte*>(buffer->data())};
  } catch (const Error& error) {
    problem = error.what();
  }
  if (ranks.max(memory.start ? 0 : 1) != 0)
    throw OutOfMemory(problem.empty() ? "another rank has no device memory for a window" : problem);
  return std::make_unique<MpiWindow>(ranks, bytes, std::move(memory), WindowCreation::create);
}

}  // namespace scalemark::collective
