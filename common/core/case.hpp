// SPDX-License-Identifier: Apache-2.0
// The API of a benchmark function: its parameters, ranks, devices and memory, measurement,
// verification and results.
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
/// Thrown on all ranks of a case after Case::stop_requested() and Case::save(). No row is written,
/// the run ends, and --resume continues this case.
struct StoppedEarly {};

/// What the timed operation of a row moves and computes; see docs/measuring.
struct Work {
  double bytes = 0;       ///< per operation, the numerator of `bandwidth`; 0 = no such row
  double bus_factor = 0;  ///< nccl-tests' factor for bus_bandwidth; 0 = no such row
  /// Bytes of memory traffic per operation, if different from `bytes`: a copy reads and writes.
  /// Where `bytes` is 0, this is stored only as fact moved_bytes.
  double moved = 0;
  double messages = 0;         ///< per operation, the numerator of `message_rate`; 0 = no such row
  double flops = 0;            ///< per operation and rank; 0 = no such row
  std::string precision = {};  ///< of the FLOPs (fp64, fp32, ...); selects the peak
  std::string formula = {};    ///< "S * 2(n-1)/n / time"
  /// The link or memory that carries the bytes. Adds peak_fraction of bus_bandwidth (else of
  /// bandwidth), or the reason why it is missing. If unstated and `flops` is set, peak_fraction
  /// refers to the FLOPs.
  Carrier carrier = Carrier::unstated;
  LinkBytes link_bytes =
      {};                ///< bytes at the link's busiest end; default `bytes`, for memory `moved`
  int memory_node = -1;  ///< NUMA node of the host memory; -1: the rank's own
  bool in_turn = false;  ///< ranks run one at a time and do not share bandwidth
};

struct MeasureOptions {
  /// Name of the duration metric: latency for communication, time for copies and kernels, step_time
  /// for training.
  std::string metric = "time";
  RankReduce rank_reduce = RankReduce::max;
  /// Operations per sample. 0 = chosen so that a sample takes at least `inner_time` seconds. Use 0
  /// for rank-local work and ping-pong only: a batched collective would measure pipelining.
  std::uint64_t inner = 1;
  double inner_time = 20e-6;
  /// Sample value = total / inner * scale: 0.5 for half a round trip.
  double scale = 1.0;
  /// Barrier before each sample (collectives); rank-local work needs none.
  bool barrier = true;
  int warmup = 5;  ///< default when the policy names none
  /// Runs on every rank between the common start and the operation. It is timed separately (metric
  /// local_time). A rank that needs longer enters the operation late.
  std::function<void()> before = {};
  /// An additional duration metric of a case that has already measured one. It has no first call,
  /// clock, verification or rates of its own and is not the primary metric.
  bool secondary = false;
  /// Upper limit of timed samples and of warm-up calls, overriding the policy; 0 = policy only.
  int most_samples = 0;
};

class Case {
 public:
  Case(Session& session, const RankGroup& group, CaseResult& result, const SamplingPolicy& policy,
       bool rank_local);
  ~Case() = default;
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  // Parameters -------------------------------------------------------------------------------
  std::int64_t integer(const std::string& axis) const;
  const std::string& text(const std::string& axis) const;
  double number(const std::string& axis) const;
  bool flag(const std::string& axis) const;
  const SamplingPolicy& policy() const { return policy_; }
  std::uint64_t seed() const;
  /// The folder or file given by `--data NAME=PATH`; empty if none was given.
  std::string data(const std::string& name) const;
  /// Folder for files that are generated once and reused by later runs; empty if not set.
  const std::string& cache() const;

  // Ranks and devices ---------------------------------------------------------------------------
  int rank() const { return ranks_.rank(); }  ///< among the participating ranks
  int size() const { return ranks_.size(); }
  /// MPI communicator of the harness over the participating ranks, for set-up and bookkeeping.
  const mpi::Comm& ranks() const { return ranks_; }
  /// Collective. The communicator of axis `backend`, created once per set of ranks and reused.
  /// Skips the case with the reason where the back end is unavailable.
  collective::Communicator& communicator();
  collective::Communicator& communicator(const std::string& backend);
  /// The device of axis `device`, or, for communication, of axis `memory` (host or device). Skips
  /// the case where a rank has none.
  device::Device& device();
  device::Device& host();
  /// This rank's GPU, whatever the axes say. Skips the case where a rank has none.
  device::Device& gpu();
  device::Stream& stream();  ///< of device()
  /// Collective. Energy in joules used so far by the devices of this case: this rank's share of the
  /// sum over all ranks (each counter is read by one rank). Empty unless all counters are readable.
  std::optional<double> energy();
  /// Compute threads of this rank (axis `threads`, else the cores bound to it).
  int threads() const;
  /// For each compute thread, the hardware threads of its core. Empty where this rank has fewer
  /// cores of its own than threads.
  std::vector<hardware::CpuSet> thread_cpus() const;
  /// This node.
  const hardware::Machine& machine() const;
  /// NUMA node of memory that this rank touches; -1 if unknown.
  int numa_node() const;
  /// Where a rank of this case runs; known on rank 0 only.
  const RankInfo& place(int rank) const;
  /// CPU sets of the ranks on this node that are idle during this case, one set per rank. Known on
  /// the job's first rank only, for single-process benchmarks.
  std::vector<hardware::CpuSet> sleeping_cpus() const;
  /// Memory for communication: axis `memory`; host = pageable.
  device::Buffer alloc(std::size_t bytes);
  /// Collective. Host memory shared by the ranks of a NUMA node, or of the whole node where some
  /// rank is not bound to a NUMA node. The case owns it: all ranks free it together after the case,
  /// even if it failed.
  const mpi::SharedWindow& share(std::size_t bytes);
  /// Stores how back end mpi accesses device memory (fact cuda_aware); no effect for other back
  /// ends or host memory.
  void state_device_path(collective::DeviceUse use);
  /// Collective. A window for one-sided communication with back end mpi: memory of axis `memory`,
  /// or host memory without that axis. Skips the case where MPI cannot access device memory. The
  /// case owns it, as with share().
  collective::OneSided& window(std::size_t bytes);
  /// Duration of MPI_Init_thread on this rank, in seconds. Skips the case if it was not measured,
  /// or if the job has more ranks than this case.
  double init_seconds() const;

  // Progress -----------------------------------------------------------------------------------
  /// Names the current phase for the journal and the watchdog. Cheap, but not for inner loops.
  void phase(std::string_view name);
  /// Tells the watchdog that this rank makes progress. No communication, a few ns.
  void tick();
  /// Ends the case as `skipped`. All ranks must take the same decision: use agree() if it depends
  /// on the rank.
  [[noreturn]] void skip(const std::string& reason) const;
  /// Collective. True if `mine` is true on all ranks.
  bool agree(bool mine) const;
  /// Collective. Throws PeerFailed if any rank failed since the last checkpoint. measure(),
  /// record() and communicator() call it. Call it yourself between set-up that can fail on one rank
  /// and your own communication.
  void checkpoint() const;
  /// Scope in which ranks communicate. An exception on one rank cannot reach the others, which wait
  /// inside a collective: it ends the job and names the failed rank. measure() opens such a scope
  /// unless the benchmark is rank-local.
  class Communicating {
   public:
    /// `waits`: ranks wait for each other although the benchmark is rank-local.
    explicit Communicating(Case& owner, bool waits = false);
    ~Communicating();
    Communicating(const Communicating&) = delete;
    Communicating& operator=(const Communicating&) = delete;

   private:
    Case& owner_;
    bool before_;
  };

  /// Scope in which signals that end the run are deferred until stop_requested(). For benchmarks
  /// that save a checkpoint of their iterations.
  class Stoppable {
   public:
    explicit Stoppable(Case& owner);
    ~Stoppable();
    Stoppable(const Stoppable&) = delete;
    Stoppable& operator=(const Stoppable&) = delete;

   private:
    Case& owner_;
  };
  /// Collective. True if any rank received a signal to stop: then call save() and throw
  /// StoppedEarly. Call it between steps, outside timed code: it also reads telemetry.
  bool stop_requested() const;
  /// Checkpoint of a case: `shared` is taken from rank 0 only, `own` from each rank.
  struct State {
    std::string shared, own;
  };
  /// Collective. Stores the checkpoint until the case is finished.
  void save(const State& state);
  /// Collective. The checkpoint from which a resumed run continues this case, if there is one.
  std::optional<State> saved() const;

  // Results ------------------------------------------------------------------------------------
  /// States the work of one operation; measure() then adds bandwidth, bus_bandwidth, achieved_flops
  /// and peak_fraction, derived from its durations. Stores fact moved_bytes for copies and for
  /// memory traffic.
  void work(const Work& work);
  /// Called on each rank after the first operation: returns {checked, wrong}. A wrong element on
  /// any rank fails the case with exit code 6. `rule` says what is compared.
  struct Checked {
    std::uint64_t checked = 0, wrong = 0;
  };
  void verify(const std::string& rule, std::function<Checked()> check);
  /// Verification in several rounds with different data, since one round may pass by chance. Each
  /// round fills the inputs, runs the operation and checks the result.
  struct Rounds {
    std::function<void(int round)> fill;
    std::function<Checked(int round)> check;
    int count = 4;
    /// The operation leaves its inputs intact: then the last timed result is checked too.
    bool inputs_stay = true;
  };
  /// Round 0 is the first call; the others come before the warm-up.
  void verify(const std::string& rule, Rounds rounds);
  /// Collective. Records a check made by the benchmark itself (training).
  void verified(const std::string& rule, Checked checked);

  /// Collective. Times the first call separately (metric first_call), verifies, warms up, takes
  /// samples until the stop rule ends them, and gathers them on rank 0. `operation` must complete
  /// its work before it returns.
  void measure(const std::function<void()>& operation, const MeasureOptions& options = {});
  /// As above for asynchronous operations: `start` runs `inner` times per sample, then `finish`
  /// completes them all.
  void measure(const std::function<void()>& start, const std::function<void()>& finish,
               const MeasureOptions& options);
  /// As above where the benchmark times each sample itself: `sample` returns nanoseconds (for
  /// instance between two device events).
  void measure_timed(const std::function<std::uint64_t()>& sample,
                     const MeasureOptions& options = {});
  /// The same with `inner` operations per sample (1 for the first call): `sample` returns the total
  /// in nanoseconds.
  void measure_timed(const std::function<std::uint64_t(std::uint64_t inner)>& sample,
                     const MeasureOptions& options);
  /// Timed samples that the last measure() took.
  std::size_t samples_taken() const { return samples_taken_; }

  /// Collective. Stores a metric that the benchmark measured itself: this rank's values, one per
  /// iteration, the same count on all ranks. Durations are in nanoseconds.
  void record(const std::string& name, const std::string& unit, Better better, MetricKind kind,
              RankReduce reduce, std::span<const double> values, const std::string& formula = {},
              std::span<const std::uint8_t> warmup = {});
  void record_durations(const std::string& name, std::span<const std::uint64_t> nanoseconds,
                        RankReduce reduce, std::span<const std::uint8_t> warmup = {},
                        const std::string& formula = {});
  /// A rate derived from duration metric `source`: numerator / time.
  void record_rate(const std::string& name, const std::string& unit, const std::string& source,
                   double numerator, const std::string& formula);
  /// Collective. Peak in flop/s of this rank's GPU, or of one core per compute thread, for
  /// `devices` devices that this rank uses. Empty where unknown or not equal on all ranks. Stores
  /// the peak and its source (facts peak_flops, peak_source), or the reason (fact peak_missing).
  std::optional<double> peak_flops(const std::string& precision, int devices = 1);
  /// Collective. Stores achieved_flops of a rank = `flops` / duration metric `source`, and
  /// peak_fraction where peak_flops() is known.
  void record_flops(const std::string& source, double flops, const std::string& precision,
                    const std::string& formula, int devices = 1);
  void primary(const std::string& metric);
  /// Start time of each iteration of a recorded metric, as now_ns(). Used on rank 0 only; ignored
  /// unless there is one value per iteration.
  void began(const std::string& metric, std::span<const std::uint64_t> at);
  /// Stores a table of further observations with the result; used on rank 0 only.
  void table(const std::string& name, Table table);
  /// A fact that is not part of the key: requested_bytes, images_seen, data_set.
  void fact(const std::string& name, Value value);

  /// For the runner, before the benchmark function: fixes the operations per sample of these
  /// duration metrics to those of earlier sweeps, where they would be chosen
  /// (MeasureOptions::inner 0).
  void fix_inner(std::map<std::string, std::uint64_t> inner) { fixed_inner_ = std::move(inner); }
  /// For the runner, at the end: stores the start times of the phases as table `phases`.
  void keep_phase_times();

  const CaseResult& result() const { return result_; }
  /// True inside a Communicating scope that spans several ranks.
  bool is_communicating() const { return communicating_; }

 private:
  /// One sample: start time as now_ns(), duration, and duration of MeasureOptions::before.
  /// `is_void`: this rank could not start together with the others.
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
  /// The policy with its sample count limited by this case's message volume and by `most_samples`
  /// (0 = no limit).
  SamplingPolicy limited_policy(int most_samples) const;
  void sample_until_stop(const Sample& sample, const MeasureOptions& options, Taken& taken);
  void take_batch(const Sample& sample, const MeasureOptions& options, std::size_t batch,
                  Taken& taken);
  /// Whether samples are compared on the common clock.
  bool records_lateness(const MeasureOptions& options) const;
  bool uses_clock(const MeasureOptions& options) const;
  /// Stores the clock's accuracy after a sync, and calls put_on_clock().
  void note_sync(Taken& taken) const;
  /// Converts the remaining time stamps to the common clock.
  void put_on_clock(Taken& taken) const;
  /// True if this rank started together with the others.
  bool start_together();
  /// Nanoseconds of the first call.
  std::uint64_t run_first(const Sample& sample, const MeasureOptions& options);
  void run_rounds(const Sample& sample, const MeasureOptions& options);
  void check_round(int round);
  void record_taken(const Taken& taken, const MeasureOptions& options);
  /// Stores metrics lateness and elapsed_time of the samples that all ranks started together, and
  /// facts about the common clock.
  void record_lateness(const Taken& taken, const std::string& duration);
  /// Stores fact barrier_time: duration of the barrier before a sample.
  void note_barrier_time();
  /// Flags samples of the last metric that some rank did not start together with the others.
  void mark_void(const Taken& taken);
  void add_work_metrics(const std::string& duration);
  /// peak_fraction of `work_`'s bandwidth with facts peak_<bandwidth> and peak_source, or fact
  /// peak_missing.
  void add_link_metrics(const std::string& duration);
  /// Collective. The peak of the link or memory, equal on all ranks, or the reason.
  hardware::Peak link_peak(LinkKind kind);
  /// Peak of this rank's link; `gpus`: the addresses of all ranks' GPUs.
  hardware::Peak own_link_peak(LinkKind kind, std::span<const std::string> gpus);
  /// Collective. This rank's share of host memory bandwidth: of one NUMA node, where every rank has
  /// its data on a single NUMA node.
  hardware::Peak own_memory_peak();
  /// Collective. `mine`, if it is equal on all ranks.
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
