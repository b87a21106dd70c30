// SPDX-License-Identifier: Apache-2.0
// Cases as a trace that Chrome (about:tracing) and Perfetto show: when each ran, and inside a
// training its epochs on a line of each rank.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/convert/exporters.hpp"
#include "common/convert/utc.hpp"
#include "common/report/cells.hpp"

namespace scalemark::convert {
namespace {

using nlohmann::ordered_json;

/// The line of the cases; that of rank r is r + 1.
constexpr std::size_t kCases = 0;
constexpr const char* kEpochs = "epoch_time";

/// Prints events as they come: a trace may be long.
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
          {"args", {{"name", report::json_text(name)}}}};
}

/// An event from `from` on, in microseconds.
ordered_json complete_event(const std::string& name, const char* category, std::size_t thread,
                            double from, double duration, ordered_json args) {
  return {{"ph", "X"},       {"name", report::json_text(name)},
          {"cat", category}, {"pid", 0},
          {"tid", thread},   {"ts", from},
          {"dur", duration}, {"args", std::move(args)}};
}

struct Interval {
  double from = 0, to = 0;  ///< microseconds
};

/// The epochs of one rank, one behind the other until the case's end: how long each took is
/// measured, when it began is not.
void add_epochs(Events& events, const Metric& epochs, std::size_t rank, const Interval& whole) {
  const Samples& samples = epochs.samples;
  double total = 0;
  for (std::size_t i = 0; i < samples.iterations; ++i) total += samples.value(rank, i) * 1e6;
  // Longer than the case can only be what a file claims.
  if (!std::isfinite(total) || total <= 0 || total > whole.to - whole.from) return;
  double now = whole.to - total;
  for (std::size_t i = 0; i < samples.iterations; ++i) {
    const double duration = std::max(0.0, samples.value(rank, i) * 1e6);
    events.add(complete_event(fmt::format("epoch {}", i + 1), "epoch", rank + 1, now,
                              std::min(duration, whole.to - now),
                              {{"placed", "before the end of the case, one behind the other"}}));
    now = std::min(now + duration, whole.to);
  }
}

void add_case(Events& events, const CaseResult& result, const Interval& whole) {
  events.add(complete_event(text::printable(result.key), "case", kCases, whole.from,
                            whole.to - whole.from,
                            {{"status", to_string(result.status)},
                             {"phase", report::json_text(result.phase)},
                             {"reason", report::json_text(result.reason)}}));
  if (const Metric* epochs = result.find(kEpochs)) {
    for (std::size_t rank = 0; rank < epochs->samples.ranks; ++rank)
      add_epochs(events, *epochs, rank, whole);
  }
}

/// Where the rows of a table come from: its texts but for those that are readings.
std::string source_of(const Table& table, std::size_t row) {
  std::string source;
  for (const char* label : {"node", "gpu"}) {
    for (const Column& column : table.columns) {
      const auto* texts = std::get_if<std::vector<std::string>>(&column.values);
      if (column.name == label && texts != nullptr && row < texts->size())
        source += " " + (*texts)[row];
    }
  }
  return source;
}

/// Readings of telemetry as counters. Their times are nanoseconds since the beginning of the run,
/// which is that of the trace.
void add_counters(Events& events, const std::string& name, const Table& table) {
  const auto times = std::find_if(table.columns.begin(), table.columns.end(),
                                  [](const Column& column) { return column.name == "t"; });
  if (times == table.columns.end()) return;
  const auto* t = std::get_if<std::vector<std::uint64_t>>(&times->values);
  if (t == nullptr) return;
  for (const Column& column : table.columns) {
    const auto* numbers = std::get_if<std::vector<double>>(&column.values);
    if (numbers == nullptr || numbers->size() != t->size()) continue;
    for (std::size_t row = 0; row < t->size(); ++row) {
      if (!std::isfinite((*numbers)[row])) continue;
      const std::string label = column.name + (column.unit.empty() ? "" : " [" + column.unit + "]");
      events.add(
          {{"ph", "C"},
           {"name", report::json_text(name + source_of(table, row) + " " + label)},
           {"pid", 0},
           {"tid", kCases},
           {"ts", static_cast<double>((*t)[row]) * 1e-3},
           {"args", {{report::json_text(column.name).get<std::string>(), (*numbers)[row]}}}});
    }
  }
}

std::size_t ranks_with_epochs(const Run& run) {
  std::size_t most = 0;
  for (const CaseResult& result : run.cases) {
    if (const Metric* epochs = result.find(kEpochs)) most = std::max(most, epochs->samples.ranks);
  }
  return most;
}

/// When a case ran, in milliseconds since 1970.
std::optional<std::pair<std::int64_t, std::int64_t>> times_of(const CaseResult& result) {
  const auto from = milliseconds_of(result.started), to = milliseconds_of(result.stopped);
  if (!from || !to || *to < *from) return std::nullopt;
  return std::pair(*from, *to);
}

}  // namespace

bool trace_needs(const CaseResult& /*result*/, const Metric& metric) {
  return metric.name == kEpochs;
}

void export_trace(const Run& run, const ExportOptions& /*options*/, const ExportTarget& target) {
  std::optional<std::int64_t> first;
  for (const CaseResult& result : run.cases) {
    if (const auto times = times_of(result))
      first = std::min(first.value_or(times->first), times->first);
  }
  if (!first)
    throw UsageError("--to trace: no case of the file says when it ran; allowed: results of run");
  // Telemetry counts from the beginning of the run.
  const std::optional<std::int64_t> begun = milliseconds_of(run.created);
  const bool has_begin = begun && *begun <= *first;
  if (has_begin) first = begun;
  Events events(target.out);
  events.add(name_event("process_name", kCases, "run " + text::printable(run.uuid)));
  events.add(name_event("thread_name", kCases, "cases"));
  for (std::size_t rank = 0; rank < ranks_with_epochs(run); ++rank) {
    const std::string node = rank < run.ranks.size() ? " on " + run.ranks[rank].node : "";
    events.add(name_event("thread_name", rank + 1, fmt::format("rank {}{}", rank, node)));
  }
  for (const CaseResult& result : run.cases) {
    if (const auto times = times_of(result)) {
      add_case(events, result,
               {static_cast<double>(times->first - *first) * 1e3,
                static_cast<double>(times->second - *first) * 1e3});
      for (const auto& [name, table] : result.tables) {
        if (has_begin && name.starts_with("telemetry/")) add_counters(events, name, table);
      }
    } else {
      target.note(fmt::format("left out, for it does not say when it ran: {}",
                              text::printable(result.key)));
    }
  }
  events.end();
}

}  // namespace scalemark::convert
