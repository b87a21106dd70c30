// SPDX-License-Identifier: Apache-2.0
// Declares a benchmark: its function, axes and requirements; and the registry of all benchmarks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/collective/communicator.hpp"
#include "common/core/axis.hpp"
#include "common/core/workload.hpp"

namespace scalemark {

class Case;

/// Predicted traffic or computation of a rank per iteration (training: per step).
struct Forecast {
  /// For example "gathers", "By" (bytes). Computation has the unit "flop". Without a unit, `name`
  /// is text only.
  std::string name, unit;
  double value = 0;
};

/// A declared benchmark: name, function, axes, and what the plan needs to know of it.
class Benchmark {
 public:
  using Function = void (*)(Case&);
  /// Bytes of memory a rank will need for a point; 0 = unknown.
  using Memory = std::function<std::uint64_t(const Point&)>;
  using Forecasts = std::function<std::vector<Forecast>(const Point&)>;

  Benchmark(std::string name, Function run);

  // Declaration; each returns *this.
  /// The sentence that `scalemark list` prints.
  Benchmark& doc(std::string text);
  /// Adds an axis. Throws Error for one that has neither a `doc` nor a shared sentence (axis_doc).
  Benchmark& axis(const std::string& name, const TextAxis& fields);
  Benchmark& axis_integer(const std::string& name, const IntegerAxis& fields);
  Benchmark& axis_number(const std::string& name, const NumberAxis& fields);
  Benchmark& axis_boolean(const std::string& name, const BooleanAxis& fields);
  /// Declares `device` (cpu, cuda; default: cuda where every rank has one) and `threads` (default:
  /// the cores bound to a rank).
  Benchmark& compute_axes();
  /// Participating ranks: all by default. With `sweep_from`: that number, then doubling, and all.
  Benchmark& ranks(int minimum, int sweep_from = 0);
  /// Runs on the first two ranks of the job.
  Benchmark& two_ranks();
  /// Needs at least two ranks; runs on the first two by default.
  Benchmark& two_ranks_or_more();
  /// Ranks do not communicate inside the measured operation.
  Benchmark& rank_local();
  /// Excludes parameter combinations that make no sense (NCCL on host memory) from every plan. A
  /// combination must pass all functions given.
  Benchmark& where(std::function<bool(const Point&)> sensible);
  /// Changes parameters before the key is built: a strategy that runs on one rank gets ranks=1.
  /// Combinations that become equal are one case.
  Benchmark& adjust(std::function<void(Point&)> change);
  /// The same, with access to the job's context. Several changes are applied in order.
  Benchmark& adjust_to_job(std::function<void(Point&, const PlanContext&)> change);
  /// For benchmarks whose axes do not tell their device: whether a case works with the rank's GPU.
  /// Telemetry, energy and the check of memory then look at it; Case::device() stays the host.
  Benchmark& works_on_gpu(std::function<bool(const Point&)> where);
  /// Memory needed on the device of the case.
  Benchmark& memory(Memory bytes_per_rank);
  /// Host memory needed in addition, on any device.
  Benchmark& host_memory(Memory bytes_per_rank);
  /// For --dry-run: predicted traffic and computation of a rank.
  Benchmark& forecast(Forecasts of_a_rank);
  /// What one call computes and moves, for a roofline: the time of points without a row.
  Benchmark& operation_work(std::function<OperationWork(const Point&)> of_a_call);
  /// The operations of a step, for `show --explain`. `why_unknown`: for points whose operations are
  /// not known, the reason, else nothing.
  Benchmark& workload(std::function<Workload(const Point&)> of_a_step,
                      std::function<std::string(const Point&)> why_unknown = {});
  /// For trainings whose steps differ in size: the workload is then that of each size.
  Benchmark& step_sizes(StepSizes sizes);
  /// What the ranks of a step exchange, as rows of collectives with their `bytes`, for `predict`;
  /// the point has the number of ranks.
  Benchmark& communication(std::function<Workload(const Point&)> of_a_step);
  /// For trainings: the steps of a rank at a point; 0 where only the data tell.
  Benchmark& steps(std::function<std::int64_t(const Point&)> of_a_rank);
  /// The axes fix the amount of work (training): the sampling policy does not apply, and it runs
  /// once per run, for any number of sweeps.
  Benchmark& fixed_work();
  /// Not available in this build or version: a single row, skipped with `reason`.
  Benchmark& unavailable(std::string reason);
  /// Declarations that several benchmarks share.
  Benchmark& with(const std::function<void(Benchmark&)>& declare);
  /// A requirement beyond the axes, shown by `list`: "LibTorch", "2 ranks".
  Benchmark& needs(std::string text);

  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  const std::vector<Axis>& axes() const { return axes_; }
  /// The axis of this name; null if the benchmark has none.
  const Axis* find_axis(const std::string& name) const;
  const std::vector<std::string>& needs() const { return needs_; }
  int minimum_ranks() const { return minimum_ranks_; }
  /// Ranks that the default points need.
  int default_ranks() const { return default_ranks_; }
  bool is_rank_local() const { return rank_local_; }
  bool has_fixed_work() const { return fixed_work_; }
  const std::string& why_unavailable() const { return unavailable_; }
  /// Total bytes per rank, on device and host.
  std::uint64_t memory_for(const Point& point) const {
    return (memory_ ? memory_(point) : 0) + host_memory_for(point);
  }
  std::uint64_t host_memory_for(const Point& point) const {
    return host_memory_ ? host_memory_(point) : 0;
  }
  std::vector<Forecast> forecast_for(const Point& point) const {
    return forecasts_ ? forecasts_(point) : std::vector<Forecast>();
  }
  /// Nothing where it is not declared.
  std::optional<OperationWork> work_for(const Point& point) const {
    return operation_work_ ? std::optional(operation_work_(point)) : std::nullopt;
  }
  /// Empty if none was declared, or why_no_workload() has a reason.
  Workload workload_for(const Point& point) const {
    return workload_ && why_no_workload(point).empty() ? workload_(point) : Workload();
  }
  bool has_workload() const { return workload_ != nullptr; }
  /// Why the operations of a step are not known; empty if they are.
  std::string why_no_workload(const Point& point) const {
    return why_no_workload_ ? why_no_workload_(point) : std::string();
  }
  /// Empty where all steps of a training are alike.
  const StepSizes& step_sizes() const { return step_sizes_; }
  bool has_communication() const { return communication_ != nullptr; }
  Workload communication_for(const Point& point) const {
    return communication_ ? communication_(point) : Workload();
  }
  /// 0: not known.
  std::int64_t steps_for(const Point& point) const { return steps_ ? steps_(point) : 0; }
  /// Whether the point has a value for each axis, of its type and within its limits.
  bool allows(const Point& point) const;
  /// The point with the implied values of axes that it lacks.
  Point with_implied(Point point) const;
  /// The key of a point, without axes at their implied values.
  std::string key_of(const Point& point) const;
  bool is_on_gpu(const Point& point) const { return on_gpu_ && on_gpu_(point); }
  bool makes_sense(const Point& point) const { return !sensible_ || sensible_(point); }
  Point adjusted(Point point, const PlanContext& context) const {
    if (adjust_) adjust_(point, context);
    return point;
  }
  Function function() const { return function_; }

 private:
  Axis make_axis(const std::string& name, Axis::Type type, const std::string& doc,
                 const std::string& unit) const;
  std::string name_, doc_, unavailable_;
  Function function_;
  std::vector<Axis> axes_;  ///< `ranks` is always there
  std::vector<std::string> needs_;
  int minimum_ranks_ = 1, default_ranks_ = 1;
  bool rank_local_ = false, fixed_work_ = false;
  Memory memory_, host_memory_;
  Forecasts forecasts_;
  std::function<OperationWork(const Point&)> operation_work_;
  std::function<Workload(const Point&)> workload_, communication_;
  std::function<std::string(const Point&)> why_no_workload_;
  StepSizes step_sizes_;
  std::function<std::int64_t(const Point&)> steps_;
  std::function<bool(const Point&)> sensible_, on_gpu_;
  std::function<void(Point&, const PlanContext&)> adjust_;
};

/// The only global: all benchmarks and built-in presets, by name.
class Registry {
 public:
  static Registry& instance();
  /// Throws Error for a name that is taken or is not suite/snake_case.
  Benchmark& add(Benchmark benchmark);
  /// Sorted by name, so that all ranks agree whatever the link order.
  std::vector<const Benchmark*> all() const;
  const Benchmark* find(const std::string& name) const;

  /// Creates a communicator of a back end that is not built into the harness. Collective over
  /// `ranks`. Throws Unavailable on all ranks or none.
  using MakeCommunicator = std::unique_ptr<collective::Communicator> (*)(const mpi::Comm& ranks,
                                                                         device::Device& device);
  /// Returns true, for static registration.
  bool add_back_end(const std::string& name, MakeCommunicator make);
  /// Null for a back end that was not added.
  MakeCommunicator back_end(const std::string& name) const;

  /// A built-in preset as TOML text. Returns true, for static registration.
  bool add_preset(const std::string& name, const std::string& toml);
  const std::map<std::string, std::string>& presets() const { return presets_; }

 private:
  std::map<std::string, std::unique_ptr<Benchmark>> benchmarks_;
  std::map<std::string, std::string> presets_;
  std::map<std::string, MakeCommunicator> back_ends_;
};

}  // namespace scalemark

/// SCALEMARK_BENCHMARK("suite/name", function).doc("...").axis(...);
#define SCALEMARK_BENCHMARK(name, function)                                        \
  [[maybe_unused]] static ::scalemark::Benchmark& scalemark_benchmark_##function = \
      ::scalemark::Registry::instance().add(::scalemark::Benchmark(name, function))
