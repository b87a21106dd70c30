// SPDX-License-Identifier: Apache-2.0
// The API of a benchmark function: its parameters, ranks, devices and memory, measurement,
// verification and results. Parts that few benchmarks need are objects of their own, in case/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/collective/communicator.hpp"
#include "common/collective/types.hpp"
#include "common/core/case/checkpoint.hpp"
#include "common/core/case/context.hpp"
#include "common/core/case/endings.hpp"
#include "common/core/case/hardware.hpp"
#include "common/core/case/inputs.hpp"
#include "common/core/case/memory.hpp"
#include "common/core/case/progress.hpp"
#include "common/core/case/recorder.hpp"
#include "common/core/case/sampler.hpp"
#include "common/core/case/verification.hpp"
#include "common/core/case/work.hpp"
#include "common/core/exchange.hpp"
#include "common/core/peaks/peak_lookup.hpp"
#include "common/core/policy.hpp"
#include "common/device/device.hpp"
#include "common/mpi/comm.hpp"
#include "common/result/model.hpp"

namespace scalemark {

/// One point of a benchmark, as the benchmark function sees it.
class Case {
 public:
  explicit Case(CaseContext context);
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  // Parameters -------------------------------------------------------------------------------
  /// The value of an axis. Throws Error if the point has no such axis or its value has another
  /// type.
  std::int64_t integer(const std::string& axis) const;
  const std::string& text(const std::string& axis) const;
  double number(const std::string& axis) const;
  bool flag(const std::string& axis) const;
  const SamplingPolicy& policy() const { return context_.policy; }
  std::uint64_t seed() const;
  /// Files and folders given on the command line, and the duration of MPI_Init_thread.
  const CaseInputs& inputs() const { return inputs_; }

  // Ranks and devices ---------------------------------------------------------------------------
  int rank() const { return ranks().rank(); }  ///< among the participating ranks
  int size() const { return ranks().size(); }
  /// MPI communicator of the harness over the participating ranks, for set-up and bookkeeping.
  const mpi::Comm& ranks() const { return context_.ranks(); }
  /// Collective. The communicator of axis `backend`, created once per set of ranks and reused.
  /// Skips the case with the reason where the back end is unavailable.
  collective::Communicator& communicator() { return communicator(text("backend")); }
  /// Collective. The same for a given back end.
  collective::Communicator& communicator(const std::string& backend);
  /// Collective. The communicator of this rank's group, where axes groups and grouping divide the
  /// ranks; without them that of all. Groups that wait for one that failed are not freed: the job
  /// ends, and names the rank.
  collective::Communicator& group_communicator();
  /// The device of axis `device`, or, for communication, of axis `memory` (host or device). Skips
  /// the case where a rank has none.
  device::Device& device() const { return hardware_.device(); }
  device::Stream& stream() const { return hardware_.stream(); }  ///< of device()
  /// Host, GPU, compute threads, NUMA node, placement of ranks, energy.
  const CaseHardware& hardware() const { return hardware_; }
  /// Memory for communication: axis `memory`; host = pageable.
  device::Buffer alloc(std::size_t bytes) const { return memory_.alloc(bytes); }
  /// Memory shared by ranks, and windows for one-sided communication.
  CaseMemory& memory() { return memory_; }

  // Progress -----------------------------------------------------------------------------------
  /// Names the current phase for the journal and the watchdog. Cheap, but not for inner loops.
  void phase(std::string_view name) { progress_.phase(name); }
  /// Tells the watchdog that this rank makes progress. No communication, a few ns.
  void report_progress() { progress_.report(); }
  /// Ends the case as `skipped`. All ranks must take the same decision: use all_ranks() if it
  /// depends on the rank.
  [[noreturn]] void skip(const std::string& reason) const { throw Skip{reason}; }
  /// Collective. True if `mine` is true on all ranks.
  bool all_ranks(bool mine) const;
  /// Collective. Throws PeerFailed if any rank failed since the last call. measure(), record() and
  /// communicator() call it. Call it yourself between set-up that can fail on one rank and your own
  /// communication.
  void throw_if_peer_failed() const { scalemark::throw_if_peer_failed(ranks()); }
  /// Scope in which ranks communicate. After an exception on one rank the others wait inside a
  /// collective. Where the communicator cannot free them (MPI), the job ends and names the failed
  /// rank. measure() opens such a scope unless the benchmark is rank-local.
  class Communicating : public CaseProgress::Communicating {
   public:
    /// `waits`: ranks wait for each other although the benchmark is rank-local.
    explicit Communicating(Case& owner, bool waits = false)
        : CaseProgress::Communicating(owner.progress_, waits) {}
  };
  /// For the runner: phases with their times, and whether ranks communicate.
  CaseProgress& progress() { return progress_; }
  /// Stopping early, saving the state of a long case, and resuming it.
  [[nodiscard]] const CaseCheckpoint& checkpoint() const { return checkpoint_; }

  // Results ------------------------------------------------------------------------------------
  /// States the work of one operation; measure() then adds bandwidth, bus_bandwidth, achieved_flops
  /// and peak_fraction, derived from its durations. Stores fact moved_bytes for copies and for
  /// memory traffic.
  void work(const Work& work) { rates_.set(work); }
  using Checked = scalemark::Checked;
  using Rounds = VerificationRounds;
  /// Called on each rank after the first operation: returns {checked, wrong}. A wrong element on
  /// any rank fails the case with exit code 6. `rule` says what is compared.
  void verify(const std::string& rule, std::function<Checked()> check);
  /// In several rounds. Round 0 is the first call; the others come before the warm-up.
  void verify(const std::string& rule, Rounds rounds) { sampler_.verify(rule, std::move(rounds)); }

  /// Collective. Times the first call separately (metric first_call), verifies, warms up, takes
  /// samples until the stop rule ends them, and gathers them on rank 0. `operation` must complete
  /// its work before it returns. Returns the number of timed samples, as all overloads do.
  std::size_t measure(const std::function<void()>& operation, const MeasureOptions& options = {});
  /// As above for asynchronous operations: `start` runs `inner` times per sample, then `finish`
  /// completes them all.
  std::size_t measure(const std::function<void()>& start, const std::function<void()>& finish,
                      const MeasureOptions& options);
  /// As above where the benchmark times each sample itself: `sample` returns nanoseconds (for
  /// instance between two device events).
  std::size_t measure_timed(const std::function<std::uint64_t()>& sample,
                            const MeasureOptions& options = {});
  /// The same with `inner` operations per sample (1 for the first call): `sample` returns the total
  /// in nanoseconds.
  std::size_t measure_timed(const std::function<std::uint64_t(std::uint64_t inner)>& sample,
                            const MeasureOptions& options);

  /// Collective. Stores a metric that the benchmark measured itself: this rank's values, one per
  /// iteration, the same count on all ranks.
  void record(const std::string& name, const std::string& unit, Better better, MetricKind kind,
              RankReduce reduce, std::span<const double> values, const std::string& formula = {},
              std::span<const std::uint8_t> warmup = {}) {
    recorder_.record(name, unit, better, kind, reduce, values, formula, warmup);
  }
  /// Collective. The same for durations in nanoseconds, stored in seconds.
  void record_durations(const std::string& name, std::span<const std::uint64_t> nanoseconds,
                        RankReduce reduce, std::span<const std::uint8_t> warmup = {},
                        const std::string& formula = {}) {
    recorder_.record_durations(name, nanoseconds, reduce, warmup, formula);
  }
  /// A rate derived from duration metric `source`: numerator / time.
  void record_rate(const std::string& name, const std::string& unit, const std::string& source,
                   double numerator, const std::string& formula) {
    recorder_.record_rate(name, unit, source, numerator, formula);
  }
  /// A fact that is not part of the key: requested_bytes, images_seen, data_set.
  void fact(const std::string& name, Value value) { recorder_.fact(name, std::move(value)); }
  /// Tables, start times of iterations, the primary metric, and checks made by the benchmark.
  CaseRecorder& recorder() { return recorder_; }
  /// Peaks of this machine, and the part of them that was reached.
  PeakLookup& peaks() { return peaks_; }
  /// The row as it stands.
  const CaseResult& result() const { return context_.result; }

 private:
  collective::Communicator& communicator_of(const RankGroup& group, const std::string& backend);

  CaseContext context_;  // the members below refer to it
  CaseInputs inputs_{context_};
  CaseHardware hardware_{context_};
  CaseCheckpoint checkpoint_{context_};
  CaseProgress progress_{context_};
  CaseRecorder recorder_{context_};
  CaseMemory memory_{context_, hardware_, recorder_};
  PeakLookup peaks_{context_, hardware_, recorder_};
  WorkRates rates_{recorder_, peaks_};
  Sampler sampler_{context_, recorder_, progress_, rates_};
};

}  // namespace scalemark
