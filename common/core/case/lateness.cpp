// SPDX-License-Identifier: Apache-2.0
// Lateness of each rank, and the time from the first entry to the last exit.
#include "common/core/case/lateness.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/core/case/sampler.hpp"
#include "common/core/session.hpp"

namespace scalemark {
namespace {

Metric duration_of(const std::string& name, std::size_t ranks, std::size_t iterations,
                   std::vector<std::uint64_t> nanoseconds, const std::string& formula) {
  Metric metric{.name = name, .unit = "s", .formula = formula, .source = {}, .samples = {}};
  metric.samples.ranks = ranks;
  metric.samples.iterations = iterations;
  metric.samples.values = std::move(nanoseconds);
  metric.samples.scale = 1e-9;
  return metric;
}

}  // namespace

Lateness::Lateness(const CaseContext& context, const MeasureOptions& options) : context_(context) {
  const bool together = options.barrier && !context.rank_local && context.ranks().size() > 1;
  is_recorded_ = together && options.rank_reduce == RankReduce::max && !options.secondary;
  uses_clock_ = is_recorded_ || (together && context.session.options().sync == Sync::clock);
}

void Lateness::note_sync(std::span<const std::uint64_t> began) {
  const clock::SyncedClock& clock = context_.session.clock();
  ++syncs_;
  residual_ns_ = std::max(residual_ns_, clock.residual_ns());
  round_trip_ns_ = std::max(round_trip_ns_, clock.round_trip_ns());
  convert(began);
}

// Start times are converted right after the synchronisation that follows them. Then they lie
// between two synchronisations, where they are known best. A later step of the clock cannot move
// them.
void Lateness::convert(std::span<const std::uint64_t> began) {
  for (std::size_t i = entered_.size(); i < began.size(); ++i)
    entered_.push_back(context_.session.clock().to_global(began[i]));
}

Lateness::Computed Lateness::compute(const std::string& duration) const {
  const auto ranks = static_cast<std::size_t>(context_.ranks().size());
  const std::size_t n = entered_.size();
  Computed computed{.lateness = context_.ranks().gather(entered_), .elapsed = {}};
  if (!context_.is_root()) return computed;
  std::vector<std::uint64_t>& late = computed.lateness;
  const Metric& timed = *std::ranges::find(context_.result.metrics, duration, &Metric::name);
  const auto& took = std::get<std::vector<std::uint64_t>>(timed.samples.values);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), last = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      first = std::min(first, late[rank * n + i]);
      last = std::max(last, late[rank * n + i] + took[rank * n + i]);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) late[rank * n + i] -= first;
    computed.elapsed.push_back(last - first);
  }
  return computed;
}

void Lateness::record(CaseRecorder& recorder, const std::string& duration) const {
  if (!is_recorded_) return;
  const auto ranks = static_cast<std::size_t>(context_.ranks().size());
  const std::size_t n = entered_.size();
  Computed computed = compute(duration);
  recorder.add(
      duration_of("lateness", ranks, n, std::move(computed.lateness), "entry - first entry"));
  recorder.add(
      duration_of("elapsed_time", 1, n, std::move(computed.elapsed), "last exit - first entry"));
  const Session& session = context_.session;
  recorder.fact("start", std::string(session.options().sync == Sync::clock ? "clock" : "barrier"));
  recorder.fact("clock_method", std::string(session.clock().method()));
  recorder.fact("clock_residual", static_cast<double>(residual_ns_) * 1e-9);
  recorder.fact("clock_round_trip", static_cast<double>(round_trip_ns_) * 1e-9);
  recorder.fact("clock_syncs", syncs_);
}

}  // namespace scalemark
