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
  for (const std::filesystem::path& path : paths) {
    for (const std::filesystem::path& file : find_runs(path))
      runs.push_back(read_digest(file, also));
  }
  compare::join_runs(runs);
  return runs;
}

}  // namespace scalemark::cli
