// SPDX-License-Identifier: Apache-2.0
// Benchmarks as `scalemark run` runs them, with their results in hand.
#pragma once

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
  void phase(const CaseResult&) override {}
  void add(const CaseResult& result) override { results.push_back(result); }
  void end(const Run&) override {}
  std::vector<CaseResult> results;
};

/// Collective. On the CPU with one thread, `iterations` samples each. Results on rank 0.
inline std::vector<CaseResult> run_cases(const std::string& benchmark,
                                         const std::vector<std::string>& axes, int iterations = 4) {
  SessionOptions options;
  options.placement = topology::Policy::none;
  Session session(world(), options);
  PlanRequest request;
  request.filters = {benchmark};
  request.policy.iterations = iterations;
  request.overrides = {parse_override("device=cpu"), parse_override("threads=1")};
  for (const std::string& axis : axes) request.overrides.push_back(parse_override(axis));
  KeepingSink sink;
  Runner(session, sink, {}).run(make_plan(Registry::instance(), request, session.context()));
  return sink.results;
}

inline bool is_root() { return world().rank() == 0; }

}  // namespace scalemark::test
