// SPDX-License-Identifier: Apache-2.0
// Who entered an operation late, and how long it took from the first entry to the last exit.
#include <algorithm>
#include <limits>

#include "common/base/clock.hpp"
#include "common/core/case.hpp"
#include "common/core/session.hpp"
#include "common/stats/summary.hpp"

namespace scalemark {
namespace {

/// Barriers of which the middle one counts.
constexpr int kBarriers = 15;

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

bool Case::records_lateness(const MeasureOptions& options) const {
  return options.barrier && !rank_local_ && size() > 1 && options.rank_reduce == RankReduce::max &&
         !options.secondary;
}

bool Case::uses_clock(const MeasureOptions& options) const {
  const bool starts_by_it = session_.options().sync == Sync::clock && options.barrier;
  return records_lateness(options) || (starts_by_it && !rank_local_ && size() > 1);
}

void Case::note_sync(Taken& taken) const {
  const clock::SyncedClock& clock = session_.clock();
  ++taken.syncs;
  taken.residual_ns = std::max(taken.residual_ns, clock.residual_ns());
  taken.round_trip_ns = std::max(taken.round_trip_ns, clock.round_trip_ns());
  put_on_clock(taken);
}

// After a sync the stamps before it lie between two: they are never known better, and a clock that
// steps later cannot move them.
void Case::put_on_clock(Taken& taken) const {
  for (std::size_t i = taken.entered.size(); i < taken.began.size(); ++i)
    taken.entered.push_back(session_.clock().to_global(taken.began[i]));
}

void Case::record_lateness(const Taken& taken, const std::string& duration) {
  const auto ranks = static_cast<std::size_t>(size());
  const std::size_t n = taken.entered.size();
  std::vector<std::uint64_t> late = ranks_.gather(taken.entered);  // [rank][iteration], on rank 0
  std::vector<std::uint64_t> elapsed;
  if (rank() == 0) {
    const Metric& timed = *std::ranges::find(result_.metrics, duration, &Metric::name);
    const auto& took = std::get<std::vector<std::uint64_t>>(timed.samples.values);
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), last = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        first = std::min(first, late[rank * n + i]);
        last = std::max(last, late[rank * n + i] + took[rank * n + i]);
      }
      for (std::size_t rank = 0; rank < ranks; ++rank) late[rank * n + i] -= first;
      elapsed.push_back(last - first);
    }
  }
  add_metric(duration_of("lateness", ranks, n, std::move(late), "entry - first entry"));
  add_metric(duration_of("elapsed_time", 1, n, std::move(elapsed), "last exit - first entry"));
  fact("start", std::string(session_.options().sync == Sync::clock ? "clock" : "barrier"));
  fact("clock_method", std::string(session_.clock().method()));
  fact("clock_residual", static_cast<double>(taken.residual_ns) * 1e-9);
  fact("clock_round_trip", static_cast<double>(taken.round_trip_ns) * 1e-9);
  fact("clock_syncs", taken.syncs);
}

void Case::note_barrier_time() {
  if (session_.options().sync == Sync::clock || rank_local_ || size() == 1) return;
  std::vector<double> taken;
  for (int i = 0; i < kBarriers; ++i) {
    const std::uint64_t start = now_ns();
    start_together();
    taken.push_back(static_cast<double>(now_ns() - start) * 1e-9);
  }
  fact("barrier_time", stats::median(taken));
}

}  // namespace scalemark
