// SPDX-License-Identifier: Apache-2.0
// Exports cases as a trace for Chrome (about:tracing) and Perfetto: cases, their phases, the
// iterations of rank 0, and what each rank did in a training, with one line per rank.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/analysis/timeline.hpp"
#include "common/base/text.hpp"
#include "common/formats/exporters.hpp"
#include "common/formats/trace/trace_clock.hpp"
#include "common/result/places.hpp"
#include "common/result/table_columns.hpp"
#include "common/text/cells.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::ordered_json;

/// Trace line of the cases; rank r has line r + 1.
constexpr std::size_t kCases = 0;
constexpr const char* kEpochs = "epoch_time";
/// Maximum number of iterations shown per case.
constexpr std::size_t kMaxSteps = 10'000;
/// Ranks above have no line.
constexpr std::size_t kMaxRanks = 1 << 16;
/// Maximum number of nodes in the name of a line.
constexpr std::size_t kMaxNodes = 8;

/// Prints events immediately, since a trace may be long.
class Events {
 public:
  explicit Events(std::ostream& out) : out_(out) {
    out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  }
  void add(const ordered_json& event) {
    out_ << (first_ ? "\n" : ",\n") << event.dump();
    first_ = false;
  }
  void end() { out_ << "\n]}\n"; }

 private:
  std::ostream& out_;
  bool first_ = true;
};

ordered_json name_event(const char* what, std::size_t thread, const std::string& name) {
  return {{"ph", "M"},
          {"name", what},
          {"pid", 0},
          {"tid", thread},
          {"args", {{"name", text::json_text(name)}}}};
}

/// A complete event; times in us.
ordered_json complete_event(const std::string& name, const char* category, std::size_t thread,
                            double from, double duration, ordered_json args) {
  return {{"ph", "X"},       {"name", text::json_text(name)},
          {"cat", category}, {"pid", 0},
          {"tid", thread},   {"ts", from},
          {"dur", duration}, {"args", std::move(args)}};
}

/// Each phase lasts until the next one; the last row is the end. After a row "done" (end of a
/// sweep) other cases run.
void add_phases(Events& events, const Table& phases, double offset, const TraceInterval& whole) {
  const auto* names = values_of<std::string>(phases, "phase");
  const auto* t = values_of<std::uint64_t>(phases, "t");
  if (names == nullptr || t == nullptr || names->size() != t->size()) return;
  for (std::size_t i = 0; i + 1 < t->size(); ++i) {
    if ((*names)[i] == "done") continue;
    const double from = whole.clamped(static_cast<double>((*t)[i]) * 1e-3 + offset);
    const double to = whole.clamped(static_cast<double>((*t)[i + 1]) * 1e-3 + offset);
    events.add(complete_event(text::printable((*names)[i], 200), "phase", kCases, from,
                              std::max(0.0, to - from), ordered_json::object()));
  }
}

/// Adds the iterations of rank 0 with stored start times. Returns false if some exceed the maximum.
bool add_steps(Events& events, const Metric& metric, std::size_t thread, double offset,
               const TraceInterval& whole) {
  const Samples& samples = metric.samples;
  const auto* times = std::get_if<std::vector<std::uint64_t>>(&samples.values);
  if (times == nullptr || metric.name == kEpochs) return true;
  const bool steps = metric.name == "step_time";
  const std::size_t count = std::min({samples.iterations, times->size(), samples.t0.size()});
  for (std::size_t i = 0; i < count; ++i) {
    const double from = static_cast<double>(samples.t0[i]) * 1e-3 + offset;
    const double duration = static_cast<double>((*times)[i]) * 1e-3;
    // Skips iterations outside their case: the file is wrong.
    if (from + 1e3 < whole.from || from + duration > whole.to + 1e3) continue;
    events.add(complete_event(
        fmt::format("{} {}", steps ? "step" : "sample", i + 1), steps ? "step" : "sample", thread,
        from, duration,
        {{"metric", text::json_text(metric.name)}, {"warmup", samples.is_warmup(i)}}));
  }
  return count == samples.t0.size();
}

/// Category of a kind of interval, by which a viewer colours it.
const char* category_of(const std::string& what) {
  if (what == analysis::kEpochKind) return "epoch";
  if (what == analysis::kStepKind) return "step";
  return what == analysis::kTestKind ? "test" : "pause";
}

/// Adds what one rank did, as it was stored.
void add_timeline(Events& events, const analysis::RankTimeline& line, std::size_t rank,
                  const std::string& node, double offset, const TraceInterval& whole) {
  for (const analysis::TimelineEntry& entry : line.entries) {
    const double from = whole.clamped(static_cast<double>(entry.from) * 1e-3 + offset);
    const double to = whole.clamped(from + static_cast<double>(entry.duration) * 1e-3);
    events.add(complete_event(analysis::describe(entry), category_of(entry.what), rank + 1, from,
                              to - from, {{"node", text::json_text(node)}}));
  }
}

/// Adds the epochs of one rank so that the last ends with the case, for files without timeline.
/// Their durations are measured, their start times are not.
void add_epochs(Events& events, const Metric& epochs, std::size_t rank, const std::string& node,
                const TraceInterval& whole) {
  const Samples& samples = epochs.samples;
  double total = 0;
  for (std::size_t i = 0; i < samples.iterations; ++i) total += samples.value(rank, i) * 1e6;
  // Longer than the case: the file is wrong.
  if (!std::isfinite(total) || total <= 0 || total > whole.to - whole.from) return;
  double now = whole.to - total;
  for (std::size_t i = 0; i < samples.iterations; ++i) {
    const double duration = std::max(0.0, samples.value(rank, i) * 1e6);
    events.add(complete_event(fmt::format("epoch {}", i + 1), "epoch", rank + 1, now,
                              std::min(duration, whole.to - now),
                              {{"node", text::json_text(node)},
                               {"placed", "before the end of the case, one behind the other"}}));
    now = std::min(now + duration, whole.to);
  }
}

/// Adds what the ranks did: their timelines, else their epochs.
void add_ranks(Events& events, const Run& run, const CaseResult& result,
               const std::optional<double>& offset, const TraceInterval& whole) {
  const std::vector<RankInfo> ranks = ranks_of_case(result, run.ranks);
  const auto node = [&](std::size_t rank) {
    return rank < ranks.size() ? ranks[rank].node : std::string();
  };
  const std::vector<analysis::RankTimeline> lines = analysis::timelines(result);
  if (offset && !lines.empty()) {
    for (const analysis::RankTimeline& line : lines) {
      if (line.rank < kMaxRanks)
        add_timeline(events, line, line.rank, node(line.rank), *offset, whole);
    }
    return;
  }
  const Metric* epochs = result.find(kEpochs);
  if (epochs == nullptr) return;
  for (std::size_t rank = 0; rank < epochs->samples.ranks; ++rank)
    add_epochs(events, *epochs, rank, node(rank), whole);
}

/// The source of a row: node and device, without readings stored as text.
std::string source_of(const Table& table, std::size_t row) {
  std::string source;
  for (const char* label : {"node", "device"}) {
    for (const Column& column : table.columns) {
      const auto* texts = std::get_if<std::vector<std::string>>(&column.values);
      if (column.name == label && texts != nullptr && row < texts->size())
        source += " " + (*texts)[row];
    }
  }
  return source;
}

/// Readings by table and source, and time: consecutive cases may share a reading.
using Seen = std::set<std::pair<std::string, std::uint64_t>>;

/// Adds telemetry readings as counters, each only once.
void add_counters(Events& events, const std::string& name, const Table& table, double offset,
                  Seen& seen) {
  const auto times = std::find_if(table.columns.begin(), table.columns.end(),
                                  [](const Column& column) { return column.name == "t"; });
  if (times == table.columns.end()) return;
  const auto* t = std::get_if<std::vector<std::uint64_t>>(&times->values);
  if (t == nullptr) return;
  std::vector<bool> fresh;
  for (std::size_t row = 0; row < t->size(); ++row)
    fresh.push_back(seen.emplace(name + source_of(table, row), (*t)[row]).second);
  for (const Column& column : table.columns) {
    const auto* numbers = std::get_if<std::vector<double>>(&column.values);
    if (numbers == nullptr || numbers->size() != t->size()) continue;
    for (std::size_t row = 0; row < t->size(); ++row) {
      if (!fresh[row] || !std::isfinite((*numbers)[row])) continue;
      const std::string label = column.name + (column.unit.empty() ? "" : " [" + column.unit + "]");
      events.add({{"ph", "C"},
                  {"name", text::json_text(name + source_of(table, row) + " " + label)},
                  {"pid", 0},
                  {"tid", kCases},
                  {"ts", std::max(0.0, static_cast<double>((*t)[row]) * 1e-3 + offset)},
                  {"args", {{text::json_text(column.name).get<std::string>(), (*numbers)[row]}}}});
    }
  }
}

/// Number of lines for ranks.
std::size_t ranks_with_lines(const Run& run) {
  std::size_t most = 0;
  for (const CaseResult& result : run.cases) {
    if (const Metric* epochs = result.find(kEpochs)) most = std::max(most, epochs->samples.ranks);
    for (const analysis::RankTimeline& line : analysis::timelines(result)) {
      if (line.rank < kMaxRanks) most = std::max<std::size_t>(most, line.rank + 1);
    }
  }
  return most;
}

/// Name of a rank's line: "rank 0 on n1"; "rank 1 on n2, then n3" if --resume moved it.
std::string rank_line(const Run& run, std::size_t rank) {
  std::vector<std::string> nodes;
  const auto add = [&](const std::vector<RankInfo>& ranks) {
    if (rank < ranks.size() && (nodes.empty() || nodes.back() != ranks[rank].node))
      nodes.push_back(ranks[rank].node);
  };
  add(run.ranks);
  for (const CaseResult& result : run.cases) {
    if (result.tables.contains(kPlacesTable)) add(ranks_of_case(result, run.ranks));
  }
  if (nodes.size() > kMaxNodes) nodes.resize(kMaxNodes);
  return fmt::format("rank {}{}{}", rank, nodes.empty() ? "" : " on ",
                     text::join(nodes, ", then "));
}

/// The nodes on which a case ran.
std::string nodes_of_case(const Run& run, const CaseResult& result) {
  std::set<std::string> nodes;
  for (const RankInfo& rank : ranks_of_case(result, run.ranks)) nodes.insert(rank.node);
  const std::vector<std::string> names(nodes.begin(), nodes.end());
  return text::join(names, " ");
}

}  // namespace

void reduce_for_trace(const CaseResult& /*result*/, Metric& metric) {
  Samples& samples = metric.samples;
  if (metric.name == kEpochs) return;
  auto* times = std::get_if<std::vector<std::uint64_t>>(&samples.values);
  if (samples.t0.empty() || times == nullptr || metric.kind != MetricKind::duration) {
    samples = {};
    return;
  }
  samples.ranks = 1;
  samples.iterations = std::min(samples.iterations, kMaxSteps);
  times->resize(std::min(times->size(), samples.iterations));
  times->shrink_to_fit();
}

void export_trace(const Run& run, const ExportOptions& /*options*/, const ExportTarget& target) {
  const TraceClock clock(run);
  const std::size_t ranks = ranks_with_lines(run);
  Events events(target.out);
  events.add(name_event("process_name", kCases, "run " + text::printable(run.uuid)));
  events.add(name_event("thread_name", kCases, "cases"));
  for (std::size_t rank = 0; rank < ranks; ++rank)
    events.add(name_event("thread_name", rank + 1, rank_line(run, rank)));
  events.add(name_event("thread_name", ranks + 1, "iterations of rank 0"));
  Seen seen;
  for (const CaseResult& result : run.cases) {
    const std::optional<TraceInterval> whole = clock.whole(result);
    if (!whole) {
      target.note(fmt::format("left out: no times stored: {}", text::printable(result.key)));
      continue;
    }
    events.add(complete_event(text::printable(result.key), "case", kCases, whole->from,
                              whole->to - whole->from,
                              {{"nodes", text::json_text(nodes_of_case(run, result))},
                               {"status", to_string(result.status)},
                               {"phase", text::json_text(result.phase)},
                               {"reason", text::json_text(result.reason)}}));
    const std::optional<double> offset = clock.offset(result);
    add_ranks(events, run, result, offset, *whole);
    if (!offset) continue;
    for (const Metric& metric : result.metrics) {
      if (!add_steps(events, metric, ranks + 1, *offset, *whole))
        target.note(fmt::format("{}: the first {} iterations of {} are in the trace",
                                text::printable(result.key), kMaxSteps, metric.samples.t0.size()));
    }
    for (const auto& [name, table] : result.tables) {
      if (name == "phases") add_phases(events, table, *offset, *whole);
      if (name.starts_with("telemetry/")) add_counters(events, name, table, *offset, seen);
    }
  }
  events.end();
}

}  // namespace scalemark::formats
