// SPDX-License-Identifier: Apache-2.0
// Reads a run and reduces it to a digest in one pass.
#include "common/cli/commands/read_digest.hpp"

#include <utility>

#include "common/compare/join_runs.hpp"
#include "common/result/software_gpu.hpp"

namespace scalemark::cli {

compare::RunDigest read_digest(const std::filesystem::path& file, const RunVisitor& also) {
  compare::Digester digester(file.string());
  RunVisitor visitor;
  visitor.header = [&](Run run) {
    refuse_software_gpu(run);
    digester.header(run);
    if (also.header) also.header(std::move(run));
  };
  visitor.one_case = [&](CaseResult one) {
    digester.add(one);
    if (also.one_case) also.one_case(std::move(one));
  };
  visit_run(file, {}, visitor);
  return digester.finish();
}

std::vector<compare::RunDigest> read_digests(const std::vector<std::filesystem::path>& paths,
                                             const RunVisitor& also) {
  std::vector<compare::RunDigest> runs;
  for (const std::filesystem::path& file : find_all_runs(paths))
    runs.push_back(read_digest(file, also));
  compare::join_runs(runs);
  return runs;
}

CostedRuns read_costed_runs(
    const std::vector<std::filesystem::path>& paths,
    const std::function<void(const std::filesystem::path&, const Run&)>& header) {
  CostedRuns all;
  std::vector<compare::RunCost> costs;
  for (const std::filesystem::path& file : find_all_runs(paths)) {
    compare::RunCost cost;
    const RunVisitor also{[&](const Run& run) {
                            if (header) header(file, run);
                            cost = compare::run_cost(run);
                          },
                          [&](const CaseResult& one) { compare::add_case(one, cost); }};
    all.runs.push_back(read_digest(file, also));
    costs.push_back(std::move(cost));
  }
  const std::vector<std::size_t> places = compare::join_runs(all.runs);
  all.costs.resize(all.runs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) compare::add_part(costs[i], all.costs[places[i]]);
  return all;
}

}  // namespace scalemark::cli
