// SPDX-License-Identifier: Apache-2.0
// Notices that a rank makes no progress, says which one, and ends the job.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "common/mpi/comm.hpp"

namespace scalemark {

/// What every rank of a node shows to the others, in shared memory.
struct Progress;

/// A thread that looks twice a second. When this rank's main thread has shown no progress for
/// `timeout` seconds, it compares the ranks of its node, names the one that is gone, stopped,
/// asleep or furthest behind, or, if none of these stands out, the nodes that do not answer, with
/// case and phase, and ends the job with exit code 3. If this process was stopped itself, it says
/// so once it goes on, for all ranks of its node. It also receives SIGTERM, SIGINT and SIGUSR1,
/// which every thread of the program must have blocked before (block_signals, first thing in main).
class Watchdog {
 public:
  struct Options {
    double timeout = 300;  ///< seconds without a sign of life
  };
  /// Collective over `world`, whose ranks messages name; `node`: those that share memory.
  Watchdog(const mpi::Comm& world, const mpi::Comm& node, Options options);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// A sign of life: a few ns.
  void report_progress();
  void enter_case(std::string_view key);
  void enter_phase(std::string_view phase);
  /// From now on `look` is called twice a second, by the watchdog's thread, while this rank shows
  /// no progress; empty: nothing is called any more. Waits for the end of a running call.
  void while_waiting(std::function<void()> look);
  /// While idle (waiting for ranks that work on a smaller case) no progress is expected of this
  /// rank.
  void set_idle(bool idle);
  /// SIGUSR1 came: stop after the current case.
  bool stop_requested() const;
  /// While a case can be stopped between two of its steps, SIGTERM and SIGINT ask for that, and end
  /// this process only if it is still there after 25 s, or at their second coming.
  void set_stoppable(bool stoppable);
  /// What is printed, as it is, when a signal ends this process. Once.
  void set_last_words(std::string words);
  /// Seconds in which this process did not run, because it was stopped or the machine slept.
  /// Shorter times than 3 s are not seen.
  double stopped_seconds() const;
  /// SIGTERM, SIGINT or SIGUSR1 came: stop after the current step.
  bool interrupt_requested() const;

  /// Blocks the signals that the watchdog receives, for the calling thread and all it starts.
  static void block_signals();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalemark
