// SPDX-License-Identifier: Apache-2.0
// The watchdog thread and the progress board that the ranks of a node share.
#include "common/core/watchdog/watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/process.hpp"
#include "common/core/watchdog/roll_call.hpp"
#include "common/mpi/environment.hpp"

namespace scalemark {
namespace {

constexpr double kLookEvery = 0.5;  // seconds
constexpr double kStoppedAfter =
    3.0;  // a watchdog that was silent for so long belongs to a stopped process
constexpr double kReporterGrace =
    1.0;  // a higher local rank waits so long for a lower one to report
constexpr double kOtherNodesGrace =
    5.0;  // a node where nobody stands out waits so long for the others to report
constexpr double kRollCall = 3.0;  // and so long for them to say that they are there
constexpr double kBlockedShare =
    0.1;  // a thread that used less of a core than this waits for something

constexpr double kStopGrace = 25.0;  // Slurm kills 30 s after its SIGTERM
// mpirun kills the others as soon as the first rank has ended after SIGTERM, and all 1 s after it.
constexpr double kPeersReport = 0.5;

const char* signal_name(int signal) { return signal == SIGTERM ? "SIGTERM" : "SIGINT"; }

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
  return set;
}

/// One rank's place on the board. Texts are written by its main thread and read by others only when
/// something is wrong: a torn text is harmless, and the last byte always stays 0.
struct alignas(128) Entry {
  std::atomic<std::uint64_t> progress;  ///< signs of life
  std::atomic<std::uint64_t> alive_ns;  ///< last look of its watchdog
  std::atomic<std::uint64_t>
      woke_ns;  ///< when that saw that the process had been stopped; 0: never
  std::atomic<std::uint64_t>
      cpu_share;  ///< of its main thread between the last two looks, in 1/1000
  std::atomic<std::int32_t> pid, world_rank, idle;
  std::atomic<std::int32_t> reported;  ///< a signal ended it, and its messages are written
  char key[256];
  char phase[64];
};

void set_text(char* to, std::size_t size, std::string_view from) {
  const std::size_t length = std::min(from.size(), size - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

bool is_gone(int pid) {
  const std::optional<ProcessStat> stat = process_stat(pid);
  return !stat || stat->has_ended();
}

bool is_stopped(int pid) {
  const std::optional<ProcessStat> stat = process_stat(pid);
  return stat && stat->is_stopped();
}

double seconds_between(std::uint64_t from, std::uint64_t to) {
  return to > from ? static_cast<double>(to - from) * 1e-9 : 0;
}

}  // namespace

struct Watchdog::State {
  Options options;
  MPI_Win window = MPI_WIN_NULL;
  Entry* board = nullptr;
  int local_rank = 0, local_size = 1;
  std::string host;
  std::unique_ptr<RollCall> roll_call;
  bool calling = false;
  pthread_t main_thread = pthread_self();
  std::atomic<bool> stopping = false, stop_after_case = false, stoppable = false;
  std::atomic<int> ending_signal = 0;  ///< SIGTERM or SIGINT that waits for the end of a step
  std::uint64_t ending_ns = 0;
  std::string last_words;
  std::atomic<bool> has_last_words = false;  ///< they are whole
  std::atomic<double> stopped_seconds = 0;
  std::mutex waiting_mutex;
  std::function<void()> while_waiting;
  std::thread thread;

  Entry& mine() { return board[local_rank]; }
  void look();
  void update_cpu_share(std::uint64_t now);
  void report_stop(double seconds, std::uint64_t now);
  void handle(int signal);
  [[noreturn]] void end_by(int signal);
  bool lower_rank_reports(std::uint64_t now) const;
  std::string place(const Entry& entry) const;
  std::string name(const Entry& entry) const;
  std::string accuse(std::uint64_t now) const;
  std::string accuse_node(double silent);
  [[noreturn]] void end(int code, const std::string& text, bool abort_job);
  void wait_for_peers_reports();

  std::uint64_t seen_progress = 0, seen_ns = 0, last_cpu_ns = 0, last_look_ns = 0;
};

Watchdog::Watchdog(const mpi::Comm& world, const mpi::Comm& node, Options options)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.options = std::move(options);
  state.local_rank = node.rank();
  state.local_size = node.size();
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  state.host = name;
  // All on the first rank of the node, as one block, so that entry i is at i for everybody.
  void* base = nullptr;
  // MPI promises no alignment; all map the block at equal offsets in a page.
  const std::size_t room = sizeof(Entry) * static_cast<std::size_t>(node.size());
  const auto bytes = static_cast<MPI_Aint>(node.rank() == 0 ? room + alignof(Entry) : 0);
  mpi::check(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node.get(), &base, &state.window));
  MPI_Aint size = 0;
  int unit = 0;
  mpi::check(MPI_Win_shared_query(state.window, 0, &size, &unit, &base));
  auto space = static_cast<std::size_t>(size);
  state.board = static_cast<Entry*>(std::align(alignof(Entry), room, base, space));
  Entry* entry = new (&state.board[node.rank()]) Entry{};
  entry->pid = static_cast<std::int32_t>(getpid());
  entry->world_rank = world.rank();
  entry->alive_ns = now_ns();
  state.roll_call = std::make_unique<RollCall>(world, node.rank() == 0, state.name(*entry));
  state.seen_ns = now_ns();
  node.barrier();
  // The thread must have its signals blocked from its first instruction on, also where main did
  // not.
  const sigset_t blocked = watched_signals();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  state.thread = std::thread([&state] {
    const sigset_t set = watched_signals();
    const timespec wait = {0, static_cast<long>(kLookEvery * 1e9)};
    while (!state.stopping) {
      const int signal = sigtimedwait(&set, nullptr, &wait);
      if (state.stopping) return;
      if (signal > 0) state.handle(signal);
      state.look();
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() {
  state_->stopping = true;
  pthread_kill(state_->thread.native_handle(), SIGUSR2);
  state_->thread.join();
  // Freeing a window is collective; while an exception unwinds the others are elsewhere.
  if (std::uncaught_exceptions() == 0) MPI_Win_free(&state_->window);
}

void Watchdog::block_signals() {
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void Watchdog::report_progress() {
  state_->mine().progress.fetch_add(1, std::memory_order_relaxed);
}

void Watchdog::enter_case(std::string_view key) {
  set_text(state_->mine().key, sizeof(Entry::key), key);
  enter_phase("start");
}

void Watchdog::enter_phase(std::string_view phase) {
  set_text(state_->mine().phase, sizeof(Entry::phase), phase);
  report_progress();
}

void Watchdog::set_idle(bool idle) {
  state_->mine().idle = idle ? 1 : 0;
  report_progress();
}

void Watchdog::while_waiting(std::function<void()> look) {
  const std::lock_guard lock(state_->waiting_mutex);
  state_->while_waiting = std::move(look);
}

double Watchdog::stopped_seconds() const { return state_->stopped_seconds; }

bool Watchdog::stop_requested() const { return state_->stop_after_case; }

void Watchdog::set_stoppable(bool stoppable) { state_->stoppable = stoppable; }

void Watchdog::set_last_words(std::string words) {
  state_->last_words = std::move(words);
  state_->has_last_words = true;
}

bool Watchdog::interrupt_requested() const {
  return state_->stop_after_case || state_->ending_signal != 0;
}

void Watchdog::State::update_cpu_share(std::uint64_t now) {
  clockid_t clock = 0;
  timespec used = {};
  if (pthread_getcpuclockid(main_thread, &clock) != 0 || clock_gettime(clock, &used) != 0) return;
  const auto cpu_ns = static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
                      static_cast<std::uint64_t>(used.tv_nsec);
  if (last_look_ns != 0 && now > last_look_ns)
    mine().cpu_share = (cpu_ns - last_cpu_ns) * 1000 / (now - last_look_ns);
  last_cpu_ns = cpu_ns;
  last_look_ns = now;
}

void Watchdog::State::look() {
  const std::uint64_t now = now_ns();
  // After SIGCONT the clock has jumped although nobody was late: start counting again.
  const double away = seconds_between(mine().alive_ns, now);
  const bool was_stopped = away > kStoppedAfter;
  mine().alive_ns = now;
  if (was_stopped) report_stop(away, now);
  update_cpu_share(now);
  if (const int signal = ending_signal;
      signal != 0 && seconds_between(ending_ns, now) > kStopGrace) {
    end_by(signal);
  }
  const std::uint64_t progress = mine().progress;
  if (progress != seen_progress || mine().idle != 0 || was_stopped) {
    seen_progress = progress;
    seen_ns = now;
    calling = false;
    if (mine().idle != 0) roll_call->answer();
    return;
  }
  {
    const std::lock_guard lock(waiting_mutex);
    if (while_waiting) while_waiting();
  }
  const double silent = seconds_between(seen_ns, now);
  if (silent < options.timeout) return;
  if (lower_rank_reports(now) && silent < options.timeout + kReporterGrace) return;
  std::string culprit = accuse(now);
  if (culprit.empty()) culprit = accuse_node(silent);
  // The node that has the culprit speaks first.
  if (culprit.empty() && silent < options.timeout + kOtherNodesGrace) return;
  end(static_cast<int>(ExitCode::failed),
      fmt::format(
          "no progress for {:.0f} s (--timeout) in {}; {}", silent, place(mine()),
          culprit.empty() ? "no rank of this node is behind; look at the other nodes" : culprit),
      true);
}

/// The first rank of the node that was stopped speaks for those that were stopped with it.
void Watchdog::State::report_stop(double seconds, std::uint64_t now) {
  stopped_seconds = stopped_seconds + seconds;
  mine().woke_ns = now;
  const auto with_me = [&](const Entry& entry) {
    const bool woke = entry.woke_ns != 0 && seconds_between(entry.woke_ns, now) < kStoppedAfter;
    return woke || seconds_between(entry.alive_ns, now) > kStoppedAfter;
  };
  if (std::any_of(board, board + local_rank, with_me)) return;
  const auto stopped = std::count_if(board, board + local_size, with_me);
  log::warn(
      fmt::format("{} {} for {:.0f} s, in {}: stopped by a signal, or the machine slept; the "
                  "samples hold that time",
                  name(mine()),
                  stopped == 1 ? "did not run"
                               : fmt::format("and {} more of its node did not run", stopped - 1),
                  seconds, place(mine())));
}

bool Watchdog::State::lower_rank_reports(std::uint64_t now) const {
  for (int i = 0; i < local_rank; ++i) {
    if (seconds_between(board[i].alive_ns, now) < kStoppedAfter && board[i].idle == 0) return true;
  }
  return false;
}

std::string Watchdog::State::place(const Entry& entry) const {
  if (entry.key[0] == '\0') return "start-up";
  return fmt::format("case '{}', phase '{}'", std::string(entry.key), std::string(entry.phase));
}

std::string Watchdog::State::name(const Entry& entry) const {
  return fmt::format("rank {} (host {}, pid {})", entry.world_rank.load(), host, entry.pid.load());
}

/// The nodes that do not say that they are there, once they have had the time to.
std::string Watchdog::State::accuse_node(double silent) {
  if (!roll_call->speaks()) return "";
  if (!calling) roll_call->begin();
  calling = true;
  roll_call->call();
  const std::string missing = roll_call->missing();
  if (missing.empty() || silent < options.timeout + kRollCall) return "";
  return fmt::format("no answer from {}: stopped, gone or busy, while others wait in {}", missing,
                     place(mine()));
}

std::string Watchdog::State::accuse(std::uint64_t now) const {
  const Entry& me = board[local_rank];
  const Entry* behind = nullptr;
  const Entry* blocked = nullptr;
  for (int i = 0; i < local_size; ++i) {
    const Entry& entry = board[i];
    if (is_gone(entry.pid)) return fmt::format("{} is gone, last in {}", name(entry), place(entry));
    if (is_stopped(entry.pid) || seconds_between(entry.alive_ns, now) > kStoppedAfter) {
      return fmt::format("{} is stopped, in {}", name(entry), place(entry));
    }
    if (entry.idle != 0) continue;
    if (entry.progress < me.progress && std::strcmp(entry.key, me.key) == 0 &&
        (!behind || entry.progress < behind->progress)) {
      behind = &entry;
    }
    if (entry.cpu_share < static_cast<std::uint64_t>(kBlockedShare * 1000)) blocked = &entry;
  }
  if (blocked) return fmt::format("{} does not run, in {}", name(*blocked), place(*blocked));
  if (behind) return fmt::format("{} is behind, in {}", name(*behind), place(*behind));
  return "";
}

void Watchdog::State::handle(int signal) {
  if (signal == SIGUSR2) return;  // only wakes this thread
  if (signal == SIGUSR1) {
    stop_after_case = true;
    log::info("SIGUSR1: stopping after the current case");
    return;
  }
  if (stoppable && ending_signal == 0) {
    ending_ns = now_ns();
    ending_signal = signal;
    log::info(fmt::format("{}: stopping after the current step", signal_name(signal)));
    return;
  }
  end_by(signal);
}

void Watchdog::State::end_by(int signal) {
  std::string gone;
  for (int i = 0; i < local_size; ++i) {
    if (is_gone(board[i].pid)) {
      gone += fmt::format("; {} is gone, last in {}", name(board[i]), place(board[i]));
    }
  }
  end(128 + signal, fmt::format("ended by {} in {}{}", signal_name(signal), place(mine()), gone),
      false);
}

void Watchdog::State::end(int code, const std::string& text, bool abort_job) {
  if (abort_job) mpi::abort(code, text);
  log::error(text);
  if (has_last_words) {
    // Raw: the main thread may hold a lock of stdio.
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, last_words.data(), last_words.size());
  }
  wait_for_peers_reports();
  _exit(code);
}

/// The signal usually reaches all ranks, but not at once. Whoever ends first must not take the
/// others' messages with it.
void Watchdog::State::wait_for_peers_reports() {
  mine().reported = 1;
  const std::uint64_t begin = now_ns();
  const auto all_reported = [this] {
    return std::all_of(board, board + local_size,
                       [](const Entry& entry) { return entry.reported != 0; });
  };
  while (!all_reported() && seconds_between(begin, now_ns()) < kPeersReport) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace scalemark
