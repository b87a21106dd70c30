// SPDX-License-Identifier: Apache-2.0
// Records that all trainings share: times of steps, energy, memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "common/core/case.hpp"
#include "common/core/policy.hpp"
#include "common/mpi/comm.hpp"
#include "common/torch/parallel/bucket_times.hpp"
#include "common/torch/parallel/fsdp_record.hpp"

namespace scalemark::torch_support {

/// Mean of the last ten values, or of all if there are fewer. There must be at least one.
double mean_of_last(const std::vector<double>& values);

/// The sum of all durations.
std::uint64_t sum(const std::vector<std::uint64_t>& nanoseconds);

/// 1 for warm-up steps, in which kernels are chosen, memory is allocated and buckets are rebuilt.
/// Their number comes from `policy`, else it is three, but the last step always counts. There must
/// be at least one step.
std::vector<std::uint8_t> warmup_steps(const SamplingPolicy& policy, std::size_t steps);

/// Times of this rank's steps, in ns.
struct StepTimes {
  std::vector<std::uint64_t> time;  ///< from requesting the step's data to the loss on the host
  std::vector<std::uint64_t> wait;  ///< part of `time` spent waiting for the data
  /// now_ns() at the start of each step, since this launch only; not in checkpoints.
  std::vector<std::uint64_t> begun;

  /// now_ns() when the data were requested, when they arrived, and when the loss was on the host.
  void add(std::uint64_t requested, std::uint64_t arrived, std::uint64_t done);
};

/// Collective. Records metric step_time.
void record_step_time(Case& c, const StepTimes& steps, const std::vector<std::uint8_t>& warmup);

/// Collective. Stores table timeline: `others` (epochs, pauses, tests), and the steps since this
/// launch.
void record_timeline(Case& c, std::vector<Interval> others, const StepTimes& steps);

/// Collective. Records when each bucket of DDP was ready, and its size; one value per bucket, in
/// the order of the reductions. Nothing where there are none.
void record_gradient_buckets(Case& c, const std::vector<BucketReady>& buckets);

/// Collective. Records when each collective of Fsdp started and was needed, and its size;
/// all-gathers apart from reduce-scatters, one value per collective in the order of the starts.
/// Nothing where there are none.
void record_shard_messages(Case& c, const std::vector<ShardMessage>& messages);

/// Collective. Records metric peak_device_memory of tensors, and returns this rank's value in
/// bytes.
double record_peak_memory(Case& c, c10::Device device);

/// The peak up to the end of the first operation: checks that come behind it need more memory.
class FirstPeak {
 public:
  explicit FirstPeak(c10::Device device) : device_(device) {}
  /// After an operation; only the first call counts.
  void note();
  /// Collective. Records metric peak_device_memory, of now if nothing was noted.
  void record(Case& c);

 private:
  c10::Device device_;
  std::uint64_t bytes_ = 0;
};

/// Energy of this rank's share of the counters, added up between start() and stop().
class EnergyMeter {
 public:
  explicit EnergyMeter(Case& c) : c_(c) {}
  /// Reads the energy counters at the start and at the end.
  void start();
  void stop();
  /// J; empty if nothing could be measured.
  const std::optional<double>& joules() const { return joules_; }

 private:
  Case& c_;
  std::optional<double> before_, joules_;
};

/// Collective. Records metrics energy and energy_per_NAME if all ranks measured `joules`. `count`:
/// things (images, tokens) over all ranks. `over`: what was counted, for the formula.
void record_energy(Case& c, const std::optional<double>& joules, const std::string& name,
                   double count, const std::string& over);

/// Collective. Adds the values in rank order, each exact.
double sum_over_ranks(const mpi::Comm& ranks, double mine);

}  // namespace scalemark::torch_support
