// SPDX-License-Identifier: Apache-2.0
// What a run measured, as plain data: what the writer stores, the reader returns and reports print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/result/point.hpp"

namespace scalemark {

enum class Status { ok, skipped, failed, oom, timeout };
std::string_view to_string(Status status);
/// Throws InputError for a text that names no status.
Status status_from(std::string_view text);

enum class Better { lower, higher, none };
std::string_view to_string(Better better);
/// The value that to_string() names. Throws InputError for other texts.
Better better_from(std::string_view text);

/// duration: integer nanoseconds; rate: derived from a duration metric by its numerator; count and
/// ratio: values of their own.
enum class MetricKind { duration, rate, count, ratio };
std::string_view to_string(MetricKind kind);
MetricKind metric_kind_from(std::string_view text);

/// How the ranks' samples of an iteration are reduced to one number.
enum class RankReduce { max, mean, root, sum };
std::string_view to_string(RankReduce reduce);
RankReduce rank_reduce_from(std::string_view text);

/// Bits of Samples::flags.
enum SampleFlag : std::uint16_t { kThrottled = 1, kClockChanged = 2, kRetried = 4, kInvalid = 8 };

/// Raw samples [rank][iteration], row major. value = sample * scale / inner. Nothing is dropped:
/// warm-up and suspect iterations are marked.
struct Samples {
  std::size_t ranks = 0;
  std::size_t iterations = 0;
  std::variant<std::vector<std::uint64_t>, std::vector<double>> values;
  double scale = 1.0;                ///< 1e-9 for durations in nanoseconds
  std::uint64_t inner = 1;           ///< operations per sample: a sample is their total
  std::vector<std::uint8_t> warmup;  ///< [iteration], 1 = warm-up; empty = none
  std::vector<std::uint16_t> flags;  ///< [iteration], SampleFlag bits; empty = none
  /// [iteration], when rank 0 started it: ns since its launch, as `t` of telemetry; empty = unknown
  std::vector<std::uint64_t> t0;

  /// Value of one sample in the metric's unit.
  double value(std::size_t rank, std::size_t iteration) const;
  bool is_warmup(std::size_t iteration) const { return !warmup.empty() && warmup[iteration] != 0; }
};

/// One measured quantity of a case.
struct Metric {
  std::string name;  ///< snake_case noun, no unit in it
  std::string unit;  ///< UCUM: s, By/s, flop/s, 1, J, By
  Better better = Better::lower;
  MetricKind kind = MetricKind::duration;
  RankReduce rank_reduce = RankReduce::max;
  /// What the number is, in symbols: "S * 2(n-1)/n / time".
  std::string formula;
  /// kind == rate: the duration metric it derives from, and what is divided by its time.
  std::string source;
  double numerator = 0;
  Samples samples;  ///< empty for a rate
};

/// One quantity of a table, row by row.
struct Column {
  std::string name;  ///< snake_case noun, no unit in it
  std::string unit;  ///< UCUM; empty for names and counts
  std::variant<std::vector<std::uint64_t>, std::vector<double>, std::vector<std::string>> values;
};

/// Columns of equal length.
struct Table {
  std::vector<Column> columns;
};

/// Outcome of checking the data that the operation produced.
struct Verification {
  bool done = false;
  std::uint64_t checked = 0;  ///< elements looked at, all ranks
  std::uint64_t wrong = 0;
  std::string rule;  ///< what was compared with what, and the tolerance
};

/// All that is stored of one case: its point, status, metrics, facts and tables.
struct CaseResult {
  std::size_t index = 0;    ///< place in the plan
  std::string name;         ///< suite/name
  Point params;             ///< what stands in the key
  std::string key;          ///< make_key(name, params)
  std::string config_hash;  ///< of everything that shapes the measurement, for --resume
  Status status = Status::ok;
  std::string reason;       ///< why not ok, in one line
  std::string phase;        ///< last phase entered
  std::string stop_reason;  ///< ci, count or time
  std::string primary_metric;
  std::vector<Metric> metrics;
  Verification verification;
  /// Data recorded beside the metrics: telemetry/node, telemetry/gpu, profile.
  std::map<std::string, Table> tables;
  /// Further facts, not part of the key: requested_bytes, total_bytes, images_seen, data_set, ...
  NamedValues facts;
  std::string started, stopped;        ///< ISO 8601 UTC
  std::uint64_t predicted_memory = 0;  ///< bytes per rank, 0 = unknown

  /// The metric of this name; null if the case has none.
  const Metric* find(std::string_view metric) const;
};

/// What a resumed run needs to know of a case that an earlier run has done.
struct FinishedCase {
  Status status = Status::ok;
  bool wrong_data = false;
  int sweeps = kAllSweeps;  ///< sweeps over this case that need not be repeated
  bool operator==(const FinishedCase&) const = default;
  static constexpr int kAllSweeps = std::numeric_limits<int>::max();
};
FinishedCase finished(const CaseResult& result);

/// Where a rank ran.
struct RankInfo {
  int rank = 0;
  std::string node;
  int local_rank = 0;
  std::string cpuset;  ///< list form: 0-3,8; empty = not bound
  int numa = -1;
  std::string gpu_uuid, gpu_pci, gpu_model, nic;
  std::string note;  ///< which part of the requested placement failed
};

/// Values of the environment: one value if equal on all nodes, else one per node.
struct Environment {
  std::map<std::string, std::string> common;
  std::map<std::string, std::map<std::string, std::string>> differs;  ///< key -> node -> value
  std::map<std::string, std::string> raw;                             ///< tool -> text
};

/// What is stored of a run besides its cases.
struct Run {
  std::string format_version = "1.1";
  bool has_digests = true;  ///< false: read from a file of format 1.0, which has none
  std::map<std::string, std::string> producer;  ///< version, git_revision, git_dirty, build facts
  std::string uuid;
  std::string campaign;
  std::string created;  ///< ISO 8601 UTC
  std::string stopped;  ///< ISO 8601 UTC; empty while under way, or where the run was killed
  bool complete = false;
  std::string exit_reason;
  std::string command_line;
  std::string config;  ///< the resolved plan and policy as text
  std::uint64_t seed = 0;
  int repeat = 0;
  std::map<std::string, std::string> tags;       ///< --tag k=v
  std::map<std::string, std::string> scheduler;  ///< job ids
  std::vector<std::string> planned;              ///< keys in order
  Environment environment;
  std::map<std::string, std::string> machines;  ///< kind of node -> its hwloc XML
  std::vector<RankInfo> ranks;
  std::vector<CaseResult> cases;
};

}  // namespace scalemark
