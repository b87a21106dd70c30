// SPDX-License-Identifier: Apache-2.0
// Runs cases of a benchmark as `scalemark run` would, and keeps their results.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "common/core/plan.hpp"
#include "common/core/runner.hpp"
#include "common/core/session.hpp"
#include "common/result/sink.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::test {

class KeepingSink final : public ResultSink {
 public:
  void begin(const Run&) override {}
  void started(const CaseResult&) override {}
  void phase(const CaseResult& current) override { phases.push_back(current.phase); }
  void save(const CaseResult&, const CaseState& state) override { states.push_back(state); }
  void add(const CaseResult& result) override { results.push_back(result); }
  void end(const Run&) override {}
  std::vector<std::string> phases;
  std::vector<CaseResult> results;
  std::vector<CaseState> states;
};

struct CaseRun {
  RunOutcome outcome;
  KeepingSink sink;  ///< filled on rank 0

  const CaseResult& result() const { return sink.results.at(0); }
  double value(const std::string& metric) const {
    return result().find(metric)->samples.value(0, 0);
  }
  std::vector<double> series(const std::string& metric, std::size_t rank) const {
    const Samples& samples = result().find(metric)->samples;
    std::vector<double> values;
    for (std::size_t i = 0; i < samples.iterations; ++i) values.push_back(samples.value(rank, i));
    return values;
  }
  std::string fact(const std::string& name) const { return to_text(result().facts.at(name)); }
};

/// `axes`, and those of `usual` ("images=640") that they do not give.
inline std::vector<std::string> with_usual(std::vector<std::string> axes,
                                           std::initializer_list<std::string> usual) {
  const auto name = [](const std::string& axis) { return axis.substr(0, axis.find('=') + 1); };
  for (const std::string& one : usual) {
    if (std::ranges::none_of(axes, [&](const auto& axis) { return name(axis) == name(one); }))
      axes.push_back(one);
  }
  return axes;
}

/// Collective. Benchmark `name` on CPUs with one thread; `axes` as on the command line:
/// "images=640". Goes on from `state`, which counts on rank 0. `iterations`: samples of each case,
/// else as many as the stop rule takes.
inline CaseRun run_case(const std::string& name, const std::vector<std::string>& axes,
                        SessionOptions options = {}, const std::optional<CaseState>& state = {},
                        std::optional<int> iterations = {}) {
  options.placement = hardware::Policy::none;
  Session session(world(), options);
  PlanRequest request;
  request.filters = {name};
  request.policy = PolicyChange{.iterations = iterations}.apply(request.policy);
  request.overrides = {parse_override("device=cpu"), parse_override("threads=1")};
  for (const std::string& axis : axes) request.overrides.push_back(parse_override(axis));
  CaseRun run;
  Runner runner(
      session, run.sink,
      {.finished = {}, .budget = {}, .saved_state = [&](const CaseResult&) { return state; }});
  run.outcome = runner.run(make_plan(Registry::instance(), request, session.context()));
  return run;
}

/// Collective. The results of so many samples each, on rank 0.
inline std::vector<CaseResult> run_cases(const std::string& name,
                                         const std::vector<std::string>& axes, int iterations = 4) {
  return run_case(name, axes, {}, {}, iterations).sink.results;
}

inline bool root() { return world().rank() == 0; }

}  // namespace scalemark::test
