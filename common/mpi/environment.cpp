// SPDX-License-Identifier: Apache-2.0
// Initialises and finalises MPI, and checks the number of ranks that the launcher announced.
#include "common/mpi/environment.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <mpi.h>

#include "common/base/text.hpp"
#include "common/mpi/job_state.hpp"
#include "common/mpi/session_folder.hpp"

namespace scalemark::mpi {
namespace {

// Set by launchers for each process of a job, innermost launcher first (mpirun may run inside a
// Slurm step). SLURM_NTASKS is not used, because batch scripts have it, too, although they run
// once.
constexpr std::array kSizeVariables = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                       "PALS_NRANKS", "SLURM_STEP_NUM_TASKS"};

constexpr std::array kRankVariables = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
                                       "PALS_RANKID", "SLURM_PROCID"};

struct Promise {
  int ranks = 0;
  std::string_view variable;
};

Promise find_promise() {
  for (const char* variable : kSizeVariables) {
    const char* value = std::getenv(variable);
    if (value == nullptr) continue;
    const auto ranks = text::parse_integer(value);
    if (ranks && *ranks > 0 && *ranks <= std::numeric_limits<int>::max()) {
      return {static_cast<int>(*ranks), variable};
    }
  }
  return {};
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string whole_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  check(MPI_Get_library_version(text, &length));
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace

int promised_rank() {
  for (const char* variable : kRankVariables) {
    const char* value = std::getenv(variable);
    if (value == nullptr) continue;
    const auto rank = text::parse_integer(value);
    return rank && *rank > 0 && *rank <= std::numeric_limits<int>::max() ? static_cast<int>(*rank)
                                                                         : 0;
  }
  return 0;
}

int promised_ranks() { return find_promise().ranks; }

int thread_level() { return job_state().thread_level; }

bool started_by_session() { return job_state().by_session; }

bool any_thread_may_call() { return thread_level() == MPI_THREAD_MULTIPLE; }

void Environment::start_by_init(int* argc, char*** argv) {
  const auto began = std::chrono::steady_clock::now();
  JobState& state = job_state();
  check(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &state.thread_level));
  init_seconds_ = seconds_since(began);
  state.world = MPI_COMM_WORLD;
  state.has_run = true;
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  MPI_Comm world = MPI_COMM_NULL;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &world));
  world_ = Comm(world);
}

void Environment::start_by_session() {
  const auto began = std::chrono::steady_clock::now();
  session_.emplace();
  world_ = session_->communicator();
  init_seconds_ = seconds_since(began);
  job_state() = {.world = world_.get(),
                 .thread_level = session_->thread_level(),
                 .by_session = true,
                 .has_run = true};
}

void Environment::finalize() {
  const bool by_session = session_.has_value();
  job_state() = {.has_run = true};
  world_ = Comm();
  session_.reset();
  if (!by_session) MPI_Finalize();
}

bool is_open_mpi() { return Environment::library_version().starts_with("Open MPI"); }

bool needs_exit_handlers() { return job_state().has_run && !is_open_mpi(); }

Environment::Environment(int* argc, char*** argv, Start start) {
  check_session_folder();
  if (start == Start::session) {
    start_by_session();
  } else {
    start_by_init(argc, argv);
  }

  const Promise promise = find_promise();
  if (world_.size() == 1 && promise.ranks > 1) {
    finalize();
    throw UsageError(fmt::format(
        "{}={} promises {} ranks, but MPI ({}) sees only 1: this launcher belongs to another MPI. "
        "Start "
        "with the mpirun of this MPI, or with srun --mpi=pmix; for one rank on purpose unset {}",
        promise.variable, promise.ranks, promise.ranks, library_version(), promise.variable));
  }
}

Environment::~Environment() {
  if (std::uncaught_exceptions() > 0) return;
  finalize();
}

std::string Environment::library_version() {
  // From "Open MPI v4.1.4, package: ..., ident: ..." this is the part before the comma. MPICH
  // separates the parts by line ends.
  const std::string whole = whole_version();
  return text::printable(whole.substr(0, whole.find_first_of(",\n")));
}

std::string Environment::library_text() { return text::printable(whole_version()); }

}  // namespace scalemark::mpi
