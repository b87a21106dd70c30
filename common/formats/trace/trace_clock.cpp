// SPDX-License-Identifier: Apache-2.0
// Combines calendar times of cases with times since the launch.
#include "common/formats/trace/trace_clock.hpp"

#include <utility>

#include "common/base/error.hpp"
#include "common/formats/utc.hpp"
#include "common/result/table_columns.hpp"

namespace scalemark::formats {
namespace {

/// us; upper limit for the time between launch and `created`.
constexpr double kMaxLead = 1e9;

/// Start of the first phase, ns since the launch.
std::optional<std::uint64_t> first_phase(const CaseResult& result) {
  const auto found = result.tables.find("phases");
  if (found == result.tables.end()) return std::nullopt;
  const auto* t = values_of<std::uint64_t>(found->second, "t");
  if (t == nullptr || t->empty()) return std::nullopt;
  return t->front();
}

/// Start and end of a case, in ms since 1970.
std::optional<std::pair<std::int64_t, std::int64_t>> times_of(const CaseResult& result) {
  const auto from = milliseconds_of(result.started), to = milliseconds_of(result.stopped);
  if (!from || !to || *to < *from) return std::nullopt;
  return std::pair(*from, *to);
}

}  // namespace

TraceClock::TraceClock(const Run& run) {
  std::optional<std::int64_t> first;
  for (const CaseResult& result : run.cases) {
    if (const auto times = times_of(result))
      first = std::min(first.value_or(times->first), times->first);
  }
  if (!first)
    throw UsageError("--to trace: no case of the file stores when it ran; allowed: results of run");
  const std::optional<std::int64_t> begun = milliseconds_of(run.created);
  has_begin_ = begun && *begun <= *first;
  begin_ = has_begin_ ? *begun : *first;
  // The launch is earlier than the `created` time of the file.
  for (const CaseResult& result : run.cases) {
    if (const auto launched = offset(result); launched && *launched < 0) {
      lead_ = std::min(-*launched, kMaxLead);
      break;
    }
  }
}

std::optional<TraceInterval> TraceClock::whole(const CaseResult& result) const {
  const auto times = times_of(result);
  if (!times) return std::nullopt;
  return TraceInterval{static_cast<double>(times->first - begin_) * 1e3 + lead_,
                       static_cast<double>(times->second - begin_) * 1e3 + lead_};
}

std::optional<double> TraceClock::offset(const CaseResult& result) const {
  const std::optional<TraceInterval> times = whole(result);
  if (const auto t = first_phase(result); t && times)
    return times->from - static_cast<double>(*t) * 1e-3;
  return has_begin_ ? std::optional(lead_) : std::nullopt;
}

}  // namespace scalemark::formats
