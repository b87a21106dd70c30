// SPDX-License-Identifier: Apache-2.0
// Gathering metrics on rank 0 and storing them.
#include "common/core/case/recorder.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/core/case/endings.hpp"
#include "common/core/exchange.hpp"
#include "common/core/session.hpp"
#include "common/mpi/typed.hpp"

namespace scalemark {
namespace {

/// Intervals of a kind and rank in table timeline, and of a kind on all ranks.
constexpr std::size_t kMaxIntervals = 2'000, kMaxIntervalsOfRanks = 1'000'000;

/// Intervals as they travel between ranks: their kinds; their index, start and duration.
using Intervals = std::pair<std::vector<std::string>, std::vector<std::uint64_t>>;

Intervals first_intervals(std::span<const Interval> all, std::size_t ranks,
                          const clock::SyncedClock& clock) {
  const std::size_t most = std::min(kMaxIntervals, kMaxIntervalsOfRanks / ranks);
  std::map<std::string_view, std::size_t> counts;
  Intervals taken;
  for (const Interval& one : all) {
    if (++counts[one.what] > most) continue;
    taken.first.emplace_back(one.what);
    taken.second.insert(taken.second.end(), {one.index, clock.to_global(one.from),
                                             one.to - std::min(one.from, one.to)});
  }
  return taken;
}

/// Collective. Takes the values of all ranks into the metric, on rank 0.
template <typename T>
void gather_samples(Metric& metric, const mpi::Comm& ranks, std::span<const T> values,
                    std::span<const std::uint8_t> warmup) {
  metric.samples.ranks = static_cast<std::size_t>(ranks.size());
  metric.samples.iterations = values.size();
  metric.samples.values = ranks.gather(values);
  metric.samples.warmup.assign(warmup.begin(), warmup.end());
}

}  // namespace

Metric& CaseRecorder::add(Metric metric) {
  CaseResult& result = context_.result;
  result.metrics.push_back(std::move(metric));
  if (result.primary_metric.empty()) result.primary_metric = result.metrics.back().name;
  return result.metrics.back();
}

void CaseRecorder::record(const std::string& name, const std::string& unit, Better better,
                          MetricKind kind, RankReduce reduce, std::span<const double> values,
                          const std::string& formula, std::span<const std::uint8_t> warmup) {
  throw_if_peer_failed(context_.ranks());
  Metric metric{.name = name,
                .unit = unit,
                .better = better,
                .kind = kind,
                .rank_reduce = reduce,
                .formula = formula,
                .source = {},
                .numerator = 0,
                .samples = {}};
  gather_samples(metric, context_.ranks(), values, warmup);
  add(std::move(metric));
}

Metric& CaseRecorder::record_durations(const std::string& name,
                                       std::span<const std::uint64_t> nanoseconds,
                                       RankReduce reduce, std::span<const std::uint8_t> warmup,
                                       const std::string& formula) {
  throw_if_peer_failed(context_.ranks());
  Metric metric{.name = name,
                .unit = "s",
                .better = Better::lower,
                .kind = MetricKind::duration,
                .rank_reduce = reduce,
                .formula = formula,
                .source = {},
                .numerator = 0,
                .samples = {}};
  gather_samples(metric, context_.ranks(), nanoseconds, warmup);
  metric.samples.scale = 1e-9;
  return add(std::move(metric));
}

void CaseRecorder::record_rate(const std::string& name, const std::string& unit,
                               const std::string& source, double numerator,
                               const std::string& formula) {
  add({.name = name,
       .unit = unit,
       .better = Better::higher,
       .kind = MetricKind::rate,
       .rank_reduce = RankReduce::max,
       .formula = formula,
       .source = source,
       .numerator = numerator,
       .samples = {}});
}

void CaseRecorder::set_primary(const std::string& metric) {
  context_.result.primary_metric = metric;
}

void CaseRecorder::began(const std::string& metric, std::span<const std::uint64_t> at) {
  std::vector<Metric>& metrics = context_.result.metrics;
  const auto found = std::ranges::find(metrics, metric, &Metric::name);
  if (!context_.is_root() || found == metrics.end() || found->samples.iterations != at.size())
    return;
  const std::uint64_t epoch = context_.session.telemetry().epoch();
  std::vector<std::uint64_t> t0(at.begin(), at.end());
  for (std::uint64_t& one : t0) one -= std::min(one, epoch);
  found->samples.t0 = std::move(t0);
}

void CaseRecorder::invalid(const std::string& metric, std::span<const std::uint8_t> iterations) {
  std::vector<Metric>& metrics = context_.result.metrics;
  const auto found = std::ranges::find(metrics, metric, &Metric::name);
  if (!context_.is_root() || found == metrics.end() ||
      found->samples.iterations != iterations.size() ||
      std::ranges::count(iterations, std::uint8_t{0}) == std::ssize(iterations))
    return;
  Samples& samples = found->samples;
  samples.flags.resize(samples.iterations, 0);
  for (std::size_t i = 0; i < samples.iterations; ++i) {
    if (iterations[i] != 0) samples.flags[i] |= kInvalid;
  }
}

void CaseRecorder::table(const std::string& name, Table table) {
  if (context_.is_root()) context_.result.tables[name] = std::move(table);
}

void CaseRecorder::timeline(std::span<const Interval> mine) {
  const mpi::Comm& ranks = context_.ranks();
  const std::vector<Intervals> all = mpi::gather(
      ranks,
      first_intervals(mine, static_cast<std::size_t>(ranks.size()), context_.session.clock()));
  if (!context_.is_root()) return;
  const std::uint64_t launch = context_.session.telemetry().epoch();
  std::vector<std::string> kinds;
  std::vector<std::uint64_t> who, index, t, duration;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto& [names, numbers] = all[rank];
    for (std::size_t i = 0; i < names.size(); ++i) {
      who.push_back(rank);
      kinds.push_back(names[i]);
      index.push_back(numbers[3 * i]);
      t.push_back(numbers[3 * i + 1] - std::min(numbers[3 * i + 1], launch));
      duration.push_back(numbers[3 * i + 2]);
    }
  }
  table("timeline", {{{.name = "rank", .unit = "", .values = std::move(who)},
                      {.name = "what", .unit = "", .values = std::move(kinds)},
                      {.name = "index", .unit = "", .values = std::move(index)},
                      {.name = "t", .unit = "ns", .values = std::move(t)},
                      {.name = "duration", .unit = "ns", .values = std::move(duration)}}});
}

void CaseRecorder::fact(const std::string& name, Value value) {
  context_.result.facts[name] = std::move(value);
}

void CaseRecorder::verified(const std::string& rule, Checked checked) {
  const mpi::Comm& ranks = context_.ranks();
  throw_if_peer_failed(ranks);
  const auto total = [&](std::uint64_t mine) {
    return static_cast<std::uint64_t>(ranks.sum(static_cast<std::int64_t>(mine)));
  };
  Verification& verification = context_.result.verification;
  verification.done = true;
  verification.checked += total(checked.checked);
  verification.wrong += total(checked.wrong);
  if (verification.rule.empty()) verification.rule = rule;
  if (checked.wrong > 0) {
    throw WrongData(
        fmt::format("{} of {} elements wrong: {}", checked.wrong, checked.checked, rule));
  }
  throw_if_peer_failed(ranks);
}

}  // namespace scalemark
