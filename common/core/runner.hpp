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

struct RunOutcome {
  std::size_t ok = 0, skipped = 0, failed = 0, oom = 0, timeout = 0, wrong_data = 0, resumed = 0;
  bool stopped = false;      ///< a signal ended it early
  bool interrupted = false;  ///< within a case, which --resume goes on with
  /// The exit code of `run`: 6 wrong data, 3 failed, timed out or interrupted, 4 nothing ran, else
  /// 0.
  int exit_code() const;
};

struct RunnerOptions {
  /// Cases done in an earlier run (--resume), by plan index; the same on all ranks.
  std::map<std::size_t, FinishedCase> finished;
  std::optional<double> budget;  ///< seconds; cases that would start later are skipped
  /// Where an earlier run left an unfinished case (--resume); called on rank 0.
  std::function<std::optional<CaseState>(const CaseResult&)> saved_state;
};

/// Collective over the session's world. `sink` is used on rank 0 only.
class Runner {
 public:
  Runner(Session& session, ResultSink& sink, RunnerOptions options);
  RunOutcome run(const std::vector<PlannedCase>& plan);

 private:
  void run_case(const PlannedCase& planned, CaseResult& result);
  void participate(const PlannedCase& planned, const RankGroup& group, CaseResult& result);
  void settle(const PeerFailed& failed, CaseResult& result);

  Session& session_;
  ResultSink& sink_;
  RunnerOptions options_;
  bool wrong_data_ = false, stopped_early_ = false;  ///< of the case just run
};

}  // namespace scalemark
