// SPDX-License-Identifier: Apache-2.0
// A benchmark: a function over a Case, with its axes declared beside it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/collective/communicator.hpp"
#include "common/core/axis.hpp"

namespace scalemark {

class Case;

/// What a rank will do in one repetition (a step of a training), known before it runs.
struct Forecast {
  /// "gathers", "By"; the amount of computing has the unit "flop"; without a unit: words alone.
  std::string name, unit;
  double value = 0;
};

class Benchmark {
 public:
  using Function = void (*)(Case&);
  /// Bytes of memory a rank will need for a point; 0 = unknown.
  using Memory = std::function<std::uint64_t(const Params&)>;
  using Forecasts = std::function<std::vector<Forecast>(const Params&)>;

  Benchmark(std::string name, Function run);

  // Declaration; each returns *this.
  Benchmark& doc(std::string text);
  /// Text axis: all `allowed` values; by default all of them are run.
  Benchmark& axis(std::string name, std::vector<std::string> allowed);
  /// Text axis with a default subset.
  Benchmark& axis(std::string name, std::vector<std::string> allowed,
                  std::vector<std::string> defaults);
  /// Integer axis; `defaults` and `quick` in the form of text::parse_integers.
  Benchmark& axis_integer(std::string name, std::int64_t minimum, std::int64_t maximum,
                          const std::string& defaults, const std::string& quick = {});
  /// Axis of decimal numbers: "0,0.5".
  Benchmark& axis_number(std::string name, std::int64_t minimum, std::int64_t maximum,
                         std::vector<double> defaults);
  Benchmark& axis_boolean(std::string name, std::vector<bool> defaults);
  /// The axis added last is left out of the key at this value (keys stay stable when an axis is
  /// added).
  Benchmark& implied(Value value);
  /// The default of the axis added last: `with_gpu` where every rank has a CUDA device.
  Benchmark& default_by_gpu(const std::string& without_gpu, const std::string& with_gpu);
  /// The default of the axis added last is the number of ranks of the job.
  Benchmark& default_by_ranks();
  /// Declares `device` (cpu, cuda; default: cuda where every rank has one) and `threads` (default:
  /// the cores bound to a rank).
  Benchmark& compute_axes();
  /// Ranks that take part: default all of them; with `sweep_from`: so many, twice as many, ... and
  /// all.
  Benchmark& ranks(int minimum, int sweep_from = 0);
  /// The first two ranks take part, whatever the job has.
  Benchmark& two_ranks();
  /// At least two ranks; by default the first two, whatever the job has.
  Benchmark& two_ranks_or_more();
  /// Every rank works for itself: no communication inside the measured operation.
  Benchmark& rank_local();
  /// Points that make no sense (NCCL on host memory) are left out of every plan.
  Benchmark& where(std::function<bool(const Params&)> sensible);
  /// Changes points before they get their key: a strategy that works on one rank gets ranks=1.
  /// Points that become equal are one case.
  Benchmark& adjust(std::function<void(Params&)> change);
  /// The same with a look at the job. Several changes follow one another.
  Benchmark& adjust_to_job(std::function<void(Params&, const PlanContext&)> change);
  /// Of the device that the case works on.
  Benchmark& memory(Memory bytes_per_rank);
  /// Of the host besides, whatever the device is.
  Benchmark& host_memory(Memory bytes_per_rank);
  /// For --dry-run: a rank's traffic and computing.
  Benchmark& forecast(Forecasts of_a_rank);
  /// Does an amount of work that its axes fix (a training), whatever the sampling policy says, and
  /// once a run, however many sweeps it has.
  Benchmark& fixed_work();
  /// This build or version lacks it: one row, skipped with `reason`, whatever its axes are.
  Benchmark& unavailable(std::string reason);
  /// Declarations that several benchmarks share.
  Benchmark& with(const std::function<void(Benchmark&)>& declare);
  /// Names needs beyond the axes, for `list`: "LibTorch", "2 ranks".
  Benchmark& needs(std::string text);

  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  const std::vector<Axis>& axes() const { return axes_; }
  const Axis* find_axis(const std::string& name) const;
  const std::vector<std::string>& needs() const { return needs_; }
  int minimum_ranks() const { return minimum_ranks_; }
  /// Ranks that the default points need.
  int usual_ranks() const { return usual_ranks_; }
  bool is_rank_local() const { return rank_local_; }
  bool has_fixed_work() const { return fixed_work_; }
  const std::string& why_unavailable() const { return unavailable_; }
  /// All that a rank will need, on device and host.
  std::uint64_t memory_for(const Params& params) const {
    return (memory_ ? memory_(params) : 0) + host_memory_for(params);
  }
  std::uint64_t host_memory_for(const Params& params) const {
    return host_memory_ ? host_memory_(params) : 0;
  }
  std::vector<Forecast> forecast_for(const Params& params) const {
    return forecasts_ ? forecasts_(params) : std::vector<Forecast>();
  }
  bool makes_sense(const Params& params) const { return !sensible_ || sensible_(params); }
  Params adjusted(Params params, const PlanContext& context) const {
    if (adjust_) adjust_(params, context);
    return params;
  }
  Function function() const { return function_; }

 private:
  std::string name_, doc_, unavailable_;
  Function function_;
  std::vector<Axis> axes_;  ///< `ranks` is always there
  std::vector<std::string> needs_;
  int minimum_ranks_ = 1, usual_ranks_ = 1;
  bool rank_local_ = false, fixed_work_ = false;
  Memory memory_, host_memory_;
  Forecasts forecasts_;
  std::function<bool(const Params&)> sensible_;
  std::function<void(Params&, const PlanContext&)> adjust_;
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

  /// Makes a communicator of a back end that is not built into the harness; collective over the
  /// ranks. Throws Unavailable, on all of them alike.
  using MakeCommunicator = std::unique_ptr<collective::Communicator> (*)(const mpi::Comm& ranks,
                                                                         device::Device& device);
  /// Returns true, for static registration.
  bool add_back_end(const std::string& name, MakeCommunicator make);
  /// Null for a back end that nobody added.
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
