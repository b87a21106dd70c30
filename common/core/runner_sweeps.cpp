// SPDX-License-Identifier: Apache-2.0
// What the runner does of several sweeps: which case when, what is kept of it, when its row comes.
#include "common/core/runner.hpp"
#include "common/core/sweep_order.hpp"
#include "common/mpi/typed.hpp"
#include "common/result/sweeps.hpp"

namespace scalemark {

int Runner::sweeps_over(const PlannedCase& planned) const {
  return planned.benchmark->has_fixed_work() ? 1 : options_.sweeps;
}

std::vector<Runner::Visit> Runner::visits_of(const std::vector<PlannedCase>& plan,
                                             RunOutcome& outcome) {
  rows_.assign(plan.size(), RowState::open);
  next_row_ = 0;
  for (const auto& [index, finished] : options_.finished) {
    if (index >= plan.size() || finished.sweeps < sweeps_over(plan[index])) continue;
    rows_[index] = RowState::shown;
    // An earlier failure keeps its weight in the exit code.
    if (finished.status == Status::failed || finished.status == Status::timeout) ++outcome.failed;
    if (finished.wrong_data) ++outcome.wrong_data;
    ++outcome.resumed;
  }
  std::vector<Visit> visits;
  std::vector<std::size_t> indices;
  const auto orders = sweep_orders(plan.size(), options_.sweeps, session_.options().seed);
  for (int sweep = 0; sweep < options_.sweeps; ++sweep) {
    for (const std::size_t index : orders[static_cast<std::size_t>(sweep)]) {
      const auto earlier = options_.finished.find(index);
      const bool done = earlier != options_.finished.end() && earlier->second.sweeps > sweep;
      if (done || sweep >= sweeps_over(plan[index])) continue;
      visits.push_back({sweep, index});
      indices.push_back(index);
    }
  }
  if (is_root() && options_.sweeps > 1) sink_.expect(indices);
  return visits;
}

std::map<std::string, std::uint64_t> Runner::inner_before(const Visit& visit) {
  std::map<std::string, std::uint64_t> inner;
  if (visit.sweep == 0) return inner;
  if (is_root()) {
    const std::optional<CaseResult> before = sink_.kept(visit.index, false);
    for (const Metric& metric : before ? before->metrics : std::vector<Metric>()) {
      if (metric.kind == MetricKind::duration) inner[metric.name] = metric.samples.inner;
    }
  }
  return mpi::broadcast(session_.world(), inner);
}

void Runner::keep(const PlannedCase& planned, const Visit& visit, CaseResult result,
                  RunOutcome& outcome) {
  const int sweeps = sweeps_over(planned);
  if (sweeps > 1) mark_sweep(result, visit.sweep, sweeps);
  if (is_root()) result = sink_.keep(result);
  // Whether it could be put behind the others, only rank 0 knows.
  result.status = mpi::broadcast(session_.world(), result.status);
  if (result.status == Status::ok && visit.sweep + 1 < sweeps) return;
  finish(result, outcome);
}

void Runner::finish(const CaseResult& result, RunOutcome& outcome) {
  outcome.count(result, wrong_data_);
  rows_[result.index] = RowState::ready;
  show_rows(false);
}

void Runner::show_rows(bool all) {
  for (; next_row_ < rows_.size(); ++next_row_) {
    RowState& row = rows_[next_row_];
    if (row == RowState::open && !all) return;
    if (row != RowState::ready) continue;
    row = RowState::shown;
    if (!is_root()) continue;
    if (const std::optional<CaseResult> whole = sink_.kept(next_row_, true)) sink_.add_kept(*whole);
  }
}

}  // namespace scalemark
