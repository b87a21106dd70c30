// SPDX-License-Identifier: Apache-2.0
// All that a benchmark function sees: its point, its ranks, memory, and how to measure and check.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/collective/communicator.hpp"
#include "common/collective/one_sided.hpp"
#include "common/collective/types.hpp"
#include "common/core/exchange.hpp"
#include "common/core/peaks/link_use.hpp"
#include "common/core/phase_times.hpp"
#include "common/core/policy.hpp"
#include "common/core/rank_group.hpp"
#include "common/core/stop_rule.hpp"
#include "common/device/device.hpp"
#include "common/hardware/machine.hpp"
#include "common/hardware/peaks/peak.hpp"
#include "common/mpi/comm.hpp"
#include "common/mpi/shared_window.hpp"
#include "common/result/model.hpp"

namespace scalemark {

class Session;

/// Thrown by Case::skip; the runner turns it into a `skipped` row.
struct Skip {
  std::string reason;
};
/// Wrong data: the case fails and the exit code is 6.
class WrongData : public Error {
 public:
  using Error::Error;
};
/// Thrown on all ranks of a case after Case::stop_requested(), and Case::save(): no row is written,
/// the run ends, and --resume goes on with this case.
struct StoppedEarly {};

/// What the timed operation of a row moves and computes; see docs/measuring.
struct Work {
  double bytes = 0;       ///< per operation, the numerator of `bandwidth`; 0 = no such row
  double bus_factor = 0;  ///< nccl-tests' factor for bus_bandwidth; 0 = no such row
  /// Bytes that go through memory meanwhile, if those are others than counted: a copy reads and
  /// writes. Of work that counts none only the fact is kept.
  double moved = 0;
  double messages = 0;         ///< per operation, the numerator of `message_rate`; 0 = no such row
  double flops = 0;            ///< per operation and rank; 0 = no such row
  std::string precision = {};  ///< in which it computes (fp64, fp32, ...), to find the peak
  std::string formula = {};    ///< "S * 2(n-1)/n / time"
  /// What carries the bytes, and how many of them its busiest end: adds peak_fraction of
  /// bus_bandwidth, else of bandwidth, or says why not. Where nothing is stated and there are
  /// FLOPs, the fraction is theirs.
  Carrier carrier = Carrier::unstated;
  LinkBytes link_bytes = {};  ///< of links; else `bytes`, and of memory those moved
  int memory_node = -1;       ///< NUMA node of the host's memory; -1: the rank's
  bool in_turn = false;       ///< one rank at a time, so that they share nothing
};

struct MeasureOptions {
  /// Name of the duration metric: latency for communication, time for copies and kernels, step_time
  /// for training.
  std::string metric = "time";
  RankReduce rank_reduce = RankReduce::max;
  /// Operations a sample: 1, or 0 = chosen so that a sample takes at least `inner_time` (rank-local
  /// work and ping-pong only; a batched collective would measure pipelining).
  std::uint64_t inner = 1;
  double inner_time = 20e-6;
  /// Sample value = total / inner * scale: 0.5 for half a round trip.
  double scale = 1.0;
  /// Barrier before each sample (collectives); rank-local work goes without.
  bool barrier = true;
  int warmup = 5;  ///< default when the policy names none
  /// What every rank does between the common start and the operation, outside of its time (metric
  /// local_time): who takes longer enters late.
  std::function<void()> before = {};
  /// A further duration of a case that has measured already: no first call and clock of its own, no
  /// verification, no rates, and not the primary metric.
  bool secondary = false;
  /// Timed samples at most, and warm-up calls, whatever the policy says; 0: as it says.
  int most_samples = 0;
};

class Case {
 public:
  Case(Session& session, const RankGroup& group, CaseResult& result, const SamplingPolicy& policy,
       bool rank_local);
  ~Case() = default;
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  // The point ---------------------------------------------------------------------------------
  std::int64_t integer(const std::string& axis) const;
  const std::string& text(const std::string& axis) const;
  double number(const std::string& axis) const;
  bool flag(const std::string& axis) const;
  const SamplingPolicy& policy() const { return policy_; }
  std::uint64_t seed() const;
  /// The folder or file given by `--data NAME=PATH`; empty if none was given.
  std::string data(const std::string& name) const;
  /// Folder for what is made once and kept between runs; empty if none is known.
  const std::string& cache() const;

  // Ranks and devices ---------------------------------------------------------------------------
  int rank() const { return ranks_.rank(); }  ///< among those taking part
  int size() const { return ranks_.size(); }
  /// The harness' own communicator over the ranks taking part, for set-up and bookkeeping.
  const mpi::Comm& ranks() const { return ranks_; }
  /// Collective. The communicator of axis `backend`, made once per rank set and kept. Skips the
  /// case with the reason where it is not to be had.
  collective::Communicator& communicator();
  collective::Communicator& communicator(const std::string& backend);
  /// The device of axis `device`, or, for communication, of axis `memory` (host or device). Skips
  /// the case where a rank has none.
  device::Device& device();
  device::Device& host();
  /// This rank's GPU, whatever the axes say. Skips the case where a rank has none.
  device::Device& gpu();
  device::Stream& stream();  ///< of device()
  /// Collective. Joules that the devices of this case have used so far, this rank's part of the
  /// sum over all (each counter is read by one rank); nothing unless all of them tell.
  std::optional<double> energy();
  /// Compute threads of this rank (axis `threads`, else the cores bound to it).
  int threads() const;
  /// The hardware threads of a core for each compute thread; empty where this rank has fewer cores
  /// of its own than threads.
  std::vector<hardware::CpuSet> thread_cpus() const;
  /// This node.
  const hardware::Machine& machine() const;
  /// NUMA node of memory that this rank touches; -1 where nobody knows.
  int numa_node() const;
  /// Where a rank of this case runs; known on rank 0 only.
  const RankInfo& place(int rank) const;
  /// CPUs of the ranks of this node that sleep during this case, one set each; known on the job's
  /// first rank only, for work of one process.
  std::vector<hardware::CpuSet> sleeping_cpus() const;
  /// Memory for communication: axis `memory`; host = pageable.
  device::Buffer alloc(std::size_t bytes);
  /// Collective. Host memory that this rank shares with the others of its NUMA node (of its node
  /// where some rank is not bound to one). It belongs to the case, whatever its end, after which
  /// the ranks give it back together.
  const mpi::SharedWindow& share(std::size_t bytes);
  /// States how back end mpi reaches device memory (fact cuda_aware); nothing of other points.
  void state_device_path(collective::DeviceUse use);
  /// Collective. Memory of each rank that the others reach by one-sided communication, of back end
  /// mpi: of axis `memory`, or of the host where there is none. Skips the case where MPI does not
  /// get device memory. It belongs to the case as what share() gives.
  collective::OneSided& window(std::size_t bytes);
  /// How long MPI_Init_thread took this rank, in seconds. Skips the case where it started more
  /// ranks than take part, or nobody measured it.
  double init_seconds() const;

  // Course -------------------------------------------------------------------------------------
  /// Names what is being done now, for the journal and the watchdog. Cheap, but not for inner
  /// loops.
  void phase(std::string_view name);
  /// A sign of life for the watchdog; free of communication, a few ns.
  void tick();
  /// Ends the case as `skipped`. The condition must be equal on all ranks, or go through agree().
  [[noreturn]] void skip(const std::string& reason) const;
  /// Collective. True if `mine` is true on all ranks.
  bool agree(bool mine) const;
  /// Collective. Throws PeerFailed if some rank failed since the last such point. measure(),
  /// record() and communicator() call it; call it before communication of your own that follows
  /// set-up which can fail on one rank.
  void checkpoint() const;
  /// While it lives, an exception on one rank cannot be told to the others (they wait inside a
  /// collective): it ends the job with the culprit named. measure() holds one unless rank-local.
  class Communicating {
   public:
    /// `waits`: though the work is rank-local, ranks wait for each other in it.
    explicit Communicating(Case& owner, bool waits = false);
    ~Communicating();
    Communicating(const Communicating&) = delete;
    Communicating& operator=(const Communicating&) = delete;

   private:
    Case& owner_;
    bool before_;
  };

  /// While it lives, signals that end the run wait for stop_requested(): for benchmarks whose
  /// iterations are worth keeping.
  class Stoppable {
   public:
    explicit Stoppable(Case& owner);
    ~Stoppable();
    Stoppable(const Stoppable&) = delete;
    Stoppable& operator=(const Stoppable&) = delete;

   private:
    Case& owner_;
  };
  /// Collective. Whether a signal asked some rank to end: save(), and throw StoppedEarly. Call it
  /// between steps, outside what is timed: telemetry is read there.
  bool stop_requested() const;
  /// What save() keeps: `shared` counts on rank 0 only, `own` is each rank's.
  struct State {
    std::string shared, own;
  };
  /// Collective. Keeps the state until the case is finished.
  void save(const State& state);
  /// Collective. The state from which a resumed run goes on with this case, if there is one.
  std::optional<State> saved() const;

  // Results ------------------------------------------------------------------------------------
  /// States the work of one operation; measure() then adds bandwidth, bus_bandwidth, achieved_flops
  /// and peak_fraction, derived from its durations. Notes fact moved_bytes of copies and of what
  /// goes through memory.
  void work(const Work& work);
  /// Called on each rank after the first operation: returns {checked, wrong}. A wrong element on
  /// any rank fails the case with exit code 6. `rule` says what is compared.
  struct Checked {
    std::uint64_t checked = 0, wrong = 0;
  };
  void verify(const std::string& rule, std::function<Checked()> check);
  /// Several rounds with data of their own, since one may pass by chance: each puts its inputs in
  /// place, has the operation carried out, and looks at the result.
  struct Rounds {
    std::function<void(int round)> fill;
    std::function<Checked(int round)> check;
    int count = 4;
    /// Whether the inputs outlive the operation: then what the last timed one left is checked too.
    bool inputs_stay = true;
  };
  /// Round 0 is the first call; the others come before the warm-up.
  void verify(const std::string& rule, Rounds rounds);
  /// Collective. Records a check made by the benchmark itself (training).
  void verified(const std::string& rule, Checked checked);

  /// Collective. First call timed apart (metric first_call), verification, warm-up, timed samples
  /// until the stop rule, gathered to rank 0. `operation` completes its work before it returns.
  void measure(const std::function<void()>& operation, const MeasureOptions& options = {});
  /// As above for operations that are only started, `inner` of them a sample, and finished together
  /// at its end.
  void measure(const std::function<void()>& start, const std::function<void()>& finish,
               const MeasureOptions& options);
  /// As above for work that the benchmark times itself, sample by sample: `sample` returns
  /// nanoseconds (for instance between two device events).
  void measure_timed(const std::function<std::uint64_t()>& sample,
                     const MeasureOptions& options = {});
  /// The same for `inner` operations a sample, of which the first call is one: `sample` returns
  /// the nanoseconds of all.
  void measure_timed(const std::function<std::uint64_t(std::uint64_t inner)>& sample,
                     const MeasureOptions& options);
  /// Timed samples that the last measure() took.
  std::size_t samples_taken() const { return samples_taken_; }

  /// Collective. A metric of the benchmark's own making: this rank's values, one an iteration,
  /// equal numbers on all ranks. `kind` duration: nanoseconds.
  void record(const std::string& name, const std::string& unit, Better better, MetricKind kind,
              RankReduce reduce, std::span<const double> values, const std::string& formula = {},
              std::span<const std::uint8_t> warmup = {});
  void record_durations(const std::string& name, std::span<const std::uint64_t> nanoseconds,
                        RankReduce reduce, std::span<const std::uint8_t> warmup = {},
                        const std::string& formula = {});
  /// A rate derived from duration metric `source`: numerator / time.
  void record_rate(const std::string& name, const std::string& unit, const std::string& source,
                   double numerator, const std::string& formula);
  /// Collective. Peak in flop/s of this rank's GPU, or of a core for each compute thread; of
  /// `devices` that work for the rank. Nothing where it is not known or not the same on all ranks.
  /// Notes it and where it comes from (facts peak_flops, peak_source), or fact peak_missing.
  std::optional<double> peak_flops(const std::string& precision, int devices = 1);
  /// Collective. achieved_flops of a rank: `flops` / duration metric `source`; beside it
  /// peak_fraction where peak_flops() is known.
  void record_flops(const std::string& source, double flops, const std::string& precision,
                    const std::string& formula, int devices = 1);
  void primary(const std::string& metric);
  /// When this rank began each iteration of a recorded metric, as now_ns(); counts on rank 0 only,
  /// and only where there is one for each.
  void began(const std::string& metric, std::span<const std::uint64_t> at);
  /// Keeps a table of what was seen beside the metrics; counts on rank 0 only.
  void table(const std::string& name, Table table);
  /// A fact that is not part of the key: requested_bytes, images_seen, data_set.
  void fact(const std::string& name, Value value);

  /// For the runner, before the function: a sample of these duration metrics is to be the total of
  /// so many operations where it would be chosen (MeasureOptions::inner 0), as in the sweeps
  /// before.
  void fix_inner(std::map<std::string, std::uint64_t> inner) { fixed_inner_ = std::move(inner); }
  /// For the runner, at the end: keeps when the phases began as table `phases`.
  void keep_phase_times();

  const CaseResult& result() const { return result_; }
  /// True inside a Communicating scope that spans several ranks.
  bool is_communicating() const { return communicating_; }

 private:
  /// One sample: when it began, as now_ns(), how long it took, and what was done before. `is_void`:
  /// this rank could not begin with the others.
  struct Timed {
    std::uint64_t began = 0, nanoseconds = 0, before = 0;
    bool is_void = false;
  };
  using Sample = std::function<Timed(std::uint64_t inner)>;
  /// This rank's samples.
  struct Taken {
    std::vector<std::uint64_t> began, nanoseconds, before;
    std::vector<std::int64_t> is_void;  ///< 0 or 1
    std::uint64_t inner = 1;
    Stop stop = Stop::no;
    /// `began` on the common clock, as it was known then.
    std::vector<std::uint64_t> entered;
    /// Of the last sync before the samples and those among them: how many, and the worst of each.
    std::int64_t syncs = 0;
    std::uint64_t residual_ns = 0, round_trip_ns = 0;
  };
  void measure_samples(const Sample& sample, const MeasureOptions& options);
  Timed take(const Sample& sample, std::uint64_t inner, const MeasureOptions& options);
  std::uint64_t choose_inner(const Sample& sample, const MeasureOptions& options);
  /// The policy with the count that the volume of this case's messages allows, and the benchmark
  /// (0: any).
  SamplingPolicy limited_policy(int most_samples) const;
  void sample_until_stop(const Sample& sample, const MeasureOptions& options, Taken& taken);
  void take_batch(const Sample& sample, const MeasureOptions& options, std::size_t batch,
                  Taken& taken);
  /// Whether samples are compared on the common clock.
  bool records_lateness(const MeasureOptions& options) const;
  bool uses_clock(const MeasureOptions& options) const;
  /// Notes what the clock is worth after a sync, and calls put_on_clock().
  void note_sync(Taken& taken) const;
  /// Brings the stamps that are not there yet to the common clock.
  void put_on_clock(Taken& taken) const;
  /// Whether this rank began with the others.
  bool start_together();
  /// Nanoseconds of the first call.
  std::uint64_t run_first(const Sample& sample, const MeasureOptions& options);
  void run_rounds(const Sample& sample, const MeasureOptions& options);
  void check_round(int round);
  void record_taken(const Taken& taken, const MeasureOptions& options);
  /// Metrics lateness and elapsed_time, of samples that all ranks began together; facts of the
  /// clock that says so.
  void record_lateness(const Taken& taken, const std::string& duration);
  /// Fact barrier_time: what the barrier before a sample takes here.
  void note_barrier_time();
  /// Flags the samples of the last metric that not all ranks began together.
  void mark_void(const Taken& taken);
  void add_work_metrics(const std::string& duration);
  /// peak_fraction of `work_`'s bandwidth with facts peak_<bandwidth> and peak_source, or fact
  /// peak_missing.
  void add_link_metrics(const std::string& duration);
  /// Collective. The peak of the link or memory, equal on all ranks, or the reason.
  hardware::Peak link_peak(LinkKind kind);
  /// That of this rank; `gpus`: the addresses of all ranks' GPUs.
  hardware::Peak own_link_peak(LinkKind kind, std::span<const std::string> gpus);
  /// Collective. This rank's part of the host's memory: of one NUMA node, where the data of every
  /// rank are on one.
  hardware::Peak own_memory_peak();
  /// Collective. `mine`, where all ranks have the same.
  hardware::Peak agreed_peak(hardware::Peak mine) const;
  Metric& add_metric(Metric metric);

  Session& session_;
  const RankGroup& group_;
  const mpi::Comm& ranks_;
  CaseResult& result_;
  SamplingPolicy policy_;
  bool rank_local_;
  bool communicating_ = false;
  collective::Communicator* communicator_ =
      nullptr;  ///< the last one asked for; its barrier starts samples
  std::vector<std::unique_ptr<mpi::SharedWindow>> windows_;
  std::vector<std::unique_ptr<collective::OneSided>> open_windows_;
  PhaseTimes phase_times_;
  Work work_;
  std::string rule_;
  Rounds rounds_;
  std::size_t samples_taken_ = 0;
  std::map<std::string, std::uint64_t> fixed_inner_;
};

}  // namespace scalemark
