// SPDX-License-Identifier: Apache-2.0
// Refuses rows of another machine.
#include "common/cli/commands/same_machine.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/compare/environment.hpp"
#include "common/result/software_gpu.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {

std::string SameMachine::difference(const Run& run) {
  const compare::Facts facts = compare::environment_facts(run);
  std::vector<const char*> names{"cpu_model", "gpu_model"};
  if (kind_ == Kind::messages) names.push_back("mpi_library");
  for (const char* name : names) {
    const auto fact = facts.find(name);
    if (fact == facts.end() || !compare::is_known(fact->second)) continue;
    const auto [known, is_new] = known_.try_emplace(name, fact->second);
    if (!is_new && known->second != fact->second)
      return fmt::format("its {} is {}, that of the others {}", name, fact->second, known->second);
  }
  return {};
}

void SameMachine::expect(const std::filesystem::path& file, const Run& run) {
  const std::string found = difference(run);
  if (!found.empty())
    throw InputError(fmt::format("{} is of another machine: {}; give the files of one machine{}",
                                 text::printable(file.string(), 200), found,
                                 kind_ == Kind::machine ? "" : " and one MPI library"));
}

void SameMachine::visit(const std::filesystem::path& file,
                        const std::function<void(const Run&, const CaseResult&)>& one_case) {
  Run header;
  visit_run(file, {},
            {.header =
                 [&](Run run) {
                   refuse_software_gpu(run);
                   expect(file, run);
                   header = std::move(run);
                 },
             .one_case = [&](const CaseResult& one) { one_case(header, one); }});
}

}  // namespace scalemark::cli
