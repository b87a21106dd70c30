// SPDX-License-Identifier: Apache-2.0
// Takes the samples of a case: first call, verification, warm-up, batches until the stop rule
// holds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/collective/communicator.hpp"
#include "common/core/case/context.hpp"
#include "common/core/case/lateness.hpp"
#include "common/core/case/progress.hpp"
#include "common/core/case/recorder.hpp"
#include "common/core/case/verification.hpp"
#include "common/core/case/work.hpp"
#include "common/core/stop_rule.hpp"

namespace scalemark {

/// How an operation is measured.
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
  /// Calls before the samples where the policy names none. Computations on a GPU then go on for
  /// half a second, as its clock settles.
  int warmup = 5;
  /// Runs on every rank between the common start and the operation. It is timed separately (metric
  /// local_time). A rank that needs longer enters the operation late.
  std::function<void()> before = {};
  /// An additional duration metric of a case that has already measured one. It has no first call,
  /// clock, verification or rates of its own and is not the primary metric.
  bool secondary = false;
  /// Upper limit of timed samples and of warm-up calls, overriding the policy; 0 = policy only.
  int max_samples = 0;
};

/// Takes the samples of one case and gathers them on rank 0.
class Sampler {
 public:
  /// One sample: start time as now_ns(), duration, and duration of MeasureOptions::before.
  /// `is_void`: this rank could not start together with the others.
  struct Timed {
    std::uint64_t began = 0, nanoseconds = 0, before = 0;
    bool is_void = false;
  };
  /// Runs and times `inner` operations.
  using Sample = std::function<Timed(std::uint64_t inner)>;

  Sampler(const CaseContext& context, CaseRecorder& recorder, CaseProgress& progress,
          WorkRates& rates)
      : context_(context), recorder_(recorder), progress_(progress), rates_(rates) {}

  /// Samples start together after a barrier of this communicator; by default, of MPI.
  void start_with(collective::Communicator& communicator) { communicator_ = &communicator; }
  /// What measure() checks, and the rule that the row states.
  void verify(const std::string& rule, VerificationRounds rounds);
  /// Collective. See Case::measure. Returns the number of timed samples.
  std::size_t measure(const Sample& sample, const MeasureOptions& options);

 private:
  /// This rank's samples.
  struct Taken {
    std::vector<std::uint64_t> began, nanoseconds, before;
    std::vector<std::int64_t> is_void;  ///< 0 or 1
    std::uint64_t inner = 1;
    Stop stop = Stop::no;
    Lateness lateness;
  };
  /// True if measure() is to check the data.
  bool verifies() const { return rounds_.check && context_.policy.verify; }
  /// Nanoseconds of the first call.
  std::uint64_t run_first(const Sample& sample, const MeasureOptions& options);
  /// Verification rounds after the first.
  void run_rounds(const Sample& sample, const MeasureOptions& options);
  void check_round(int round);
  Timed take(const Sample& sample, std::uint64_t inner, const MeasureOptions& options);
  /// True if this rank started together with the others.
  bool start_together();
  std::uint64_t choose_inner(const Sample& sample, const MeasureOptions& options);
  /// Most operations that a sample may hold.
  std::uint64_t max_inner() const;
  /// The policy with its operations as samples of `inner`, and with its sample count limited by
  /// this case's message volume and by `max_samples` (0 = no limit).
  SamplingPolicy limited_policy(std::uint64_t inner, int max_samples) const;
  void warm_up(const Sample& sample, const MeasureOptions& options, Taken& taken);
  /// Repeats a computation until a GPU has the clock at which it can go on with it.
  void settle_gpu(const Sample& sample, const MeasureOptions& options, std::uint64_t inner);
  void sample_until_stop(const Sample& sample, const MeasureOptions& options, Taken& taken);
  void take_batch(const Sample& sample, const MeasureOptions& options, std::size_t batch,
                  Taken& taken);
  /// Collective over the group. Synchronises the common clock and notes its accuracy.
  void sync_clock(Taken& taken);
  /// Stores fact barrier_time: duration of the barrier before a sample.
  void record_barrier_time();
  void record_taken(const Taken& taken, const MeasureOptions& options);
  /// Flags samples of `metric` that some rank did not start together with the others.
  void mark_void(const Taken& taken, Metric& metric);
  void record_primary(const Taken& taken, const MeasureOptions& options, std::uint64_t first_call);

  const CaseContext& context_;
  CaseRecorder& recorder_;
  CaseProgress& progress_;
  WorkRates& rates_;
  collective::Communicator* communicator_ = nullptr;
  std::string rule_;
  VerificationRounds rounds_;
};

}  // namespace scalemark
