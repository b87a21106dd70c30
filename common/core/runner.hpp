// SPDX-License-Identifier: Apache-2.0
// Runs a plan: per case agree, set up, measure, gather, hand to the sink.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/core/exchange.hpp"
#include "common/core/plan.hpp"
#include "common/core/session.hpp"
#include "common/result/sink.hpp"

namespace scalemark {

class Case;

/// How many cases ended with which status.
struct RunOutcome {
  std::size_t ok = 0, skipped = 0, failed = 0, oom = 0, timeout = 0, wrong_data = 0, resumed = 0;
  bool stopped = false;      ///< a signal ended it early
  bool interrupted = false;  ///< inside a case, which --resume continues
  /// Counts the outcome of a case.
  void count(const CaseResult& result, bool wrong);
  /// The exit code of `run`: 6 wrong data, 3 failed, timed out or interrupted, 4 nothing ran, else
  /// 0.
  int exit_code() const;
};

/// Options of a run that concern the loop over cases.
struct RunnerOptions {
  /// Cases done in an earlier run (--resume), or some sweeps over them, by plan index; the same on
  /// all ranks.
  std::map<std::size_t, FinishedCase> finished = {};
  /// Seconds; cases that would start later are skipped.
  std::optional<double> budget = {};
  /// Where an earlier run left an unfinished case (--resume); called on rank 0.
  std::function<std::optional<CaseState>(const CaseResult&)> saved_state = {};
  /// Number of sweeps over the plan. Cases of fixed work and cases that did not end ok are not
  /// repeated. Rows are added in plan order, each after its last sweep.
  int sweeps = 1;
};

/// Collective over the session's world. `sink` is used on rank 0 only.
class Runner {
 public:
  Runner(Session& session, ResultSink& sink, RunnerOptions options);
  /// Collective. Runs the cases of the plan and hands each result to the sink.
  RunOutcome run(const std::vector<PlannedCase>& plan);

 private:
  /// One sweep's measuring of one case.
  struct Visit {
    int sweep = 0;
    std::size_t index = 0;
  };
  enum class RowState { open, ready, shown };
  enum class Next { run, skip, stop };

  bool is_root() const { return session_.world().rank() == 0; }
  Next agree_on_next();
  /// False: the run must end.
  bool measure(const PlannedCase& planned, const Visit& visit, RunOutcome& outcome);
  void run_case(const PlannedCase& planned, CaseResult& result);
  void participate(const PlannedCase& planned, const RankGroup& group, CaseResult& result);
  /// For the handler of an exception that only this rank got: frees the others and agrees with them
  /// on the failure. Where they cannot be freed, the job ends.
  PeerFailed fail_with_peers(Case& one, const PeerFailed& mine);
  void settle(const PeerFailed& failed, CaseResult& result);
  /// Collective over `group`: drops communicators that a failure may have broken.
  void abandon_after_failure(Case& one, const RankGroup& group);

  // Sweeps, in runner_sweeps.cpp.
  /// What is to be measured, in order; counts what an earlier run has done.
  std::vector<Visit> visits_of(const std::vector<PlannedCase>& plan, RunOutcome& outcome);
  int sweeps_over(const PlannedCase& planned) const;
  /// Operations per sample in the earlier sweeps, by metric.
  std::map<std::string, std::uint64_t> inner_before(const Visit& visit);
  void keep(const PlannedCase& planned, const Visit& visit, CaseResult result, RunOutcome& outcome);
  /// True if no sweep over the case remains.
  void finish(const CaseResult& result, RunOutcome& outcome);
  /// Hands on the rows whose turn it is, or all that there are.
  void show_rows(bool all);

  Session& session_;
  ResultSink& sink_;
  RunnerOptions options_;
  bool wrong_data_ = false, stopped_early_ = false;  ///< of the case just run
  std::map<std::string, std::uint64_t> inner_;       ///< of the case to be run: inner_before()
  std::vector<RowState> rows_;                       ///< by plan index
  std::size_t next_row_ = 0;                         ///< the first row not yet shown
  std::uint64_t start_ = 0;
};

}  // namespace scalemark
