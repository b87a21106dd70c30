// SPDX-License-Identifier: Apache-2.0
// What a case's nodes and GPUs did while it ran: looked at between the timed samples.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/hardware/sensors/gpu_sensors.hpp"
#include "common/hardware/sensors/node_sensors.hpp"
#include "common/mpi/comm.hpp"
#include "common/result/model.hpp"

namespace scalemark {

/// How often the sensors are read.
struct TelemetryOptions {
  /// Seconds between readings while samples are taken; nothing = off. At the borders of cases and
  /// of sampling it reads up to ten times as often.
  std::optional<double> seconds = 1.0;
  /// Readings are at least so many times rarer than they are long; a tenth of it at borders.
  std::uint64_t rarer = 1000;
  std::filesystem::path root = "/";
  std::string nvml = "libnvidia-ml.so.1";
};

/// What this rank reads for others.
struct TelemetryDuties {
  std::string host;
  std::optional<hardware::NodeWatch> node;  ///< nothing: another rank of the node does
  std::string gpu;                          ///< PCI address; empty: none, or another rank does
};

/// Readings as columns; NaN where a quantity could not be read.
struct ReadingColumns {
  /// The values of one sensor, in the order of the readings.
  struct Numbers {
    std::string unit;
    std::vector<double> values;
  };
  std::vector<std::uint64_t> t;
  std::map<std::string, Numbers> numbers;
  std::map<std::string, std::vector<std::string>> texts;

  /// Adds a reading taken at time `at`.
  void add(std::uint64_t at, const hardware::Reading& reading);
};

/// Lives as long as the session. Reads at once and on the caller's thread: call it only where no
/// rank times anything. A reading costs a fraction of a millisecond on a small node; where it costs
/// more it is done less often, so that it takes a thousandth of the time at most while sampling.
class Telemetry {
 public:
  /// `epoch`: now_ns() when the run began on this node. Never throws.
  Telemetry(TelemetryOptions options, TelemetryDuties duties, std::uint64_t epoch);

  /// now_ns() when the run began on this node.
  std::uint64_t epoch() const { return epoch_; }

  /// A new case begins: its tables start with the last reading before it.
  void begin_case();
  /// Whether the case works on the GPU: then its clocks and its heat count for flags too.
  void set_on_gpu(bool on_gpu) { on_gpu_ = on_gpu; }
  /// Samples of a metric are about to be taken.
  void begin_samples();
  /// So many samples were taken since begin_samples(). Reads if it is time.
  void between_samples(std::size_t taken);
  /// All samples were taken; they belong to `metric`.
  void end_samples(const std::string& metric, std::size_t taken);
  /// Between steps of work that takes its samples itself. Reads if it is time.
  void between_steps() { look(false); }

  /// Collective over `ranks`, those of the case. Ends the case: on rank 0 its tables go to
  /// `result`, and flags to the metrics whose iterations lie between readings with cause for them.
  void end_case(const mpi::Comm& ranks, CaseResult& result);

 private:
  /// Iterations [begin, end) lie between two readings with these SampleFlag bits.
  struct Span {
    std::size_t begin = 0, end = 0;
    std::uint16_t flags = 0;
  };
  bool look(bool border);
  void read(std::uint64_t now);
  void note_span(std::size_t taken);
  std::optional<double> clock() const;
  bool throttled() const;
  std::string packed() const;

  TelemetryOptions options_;
  TelemetryDuties duties_;
  std::uint64_t epoch_;
  std::unique_ptr<hardware::NodeSensors> node_;
  std::unique_ptr<hardware::GpuSensors> gpu_;
  std::uint64_t last_ = 0, cost_ = 0;  ///< ns: when the last reading began, and how long it took
  hardware::Reading node_reading_, gpu_reading_;
  bool on_gpu_ = false;
  bool was_slowed_ = false;  ///< at the reading before the last one
  ReadingColumns node_columns_, gpu_columns_;
  std::optional<double> clock_under_load_;
  std::size_t span_begin_ = 0;
  std::vector<Span> spans_;
  std::map<std::string, std::vector<Span>> flagged_;
};

}  // namespace scalemark
