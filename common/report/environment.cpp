// SPDX-License-Identifier: Apache-2.0
// Facts of the environment, classed and compared.
#include "common/report/environment.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::report {
namespace {

constexpr std::size_t kShown = 200;  // bytes of a value

/// Distinct texts, sorted and joined.
std::string joined(const std::set<std::string>& values, std::string_view separator) {
  if (values.empty()) return "-";
  return text::join(std::vector<std::string>(values.begin(), values.end()), separator);
}

std::set<std::string> values_of(std::span<const std::map<std::string, std::string>* const> side,
                                const std::string& fact) {
  std::set<std::string> values;
  for (const auto* facts : side) {
    const auto found = facts->find(fact);
    values.insert(found == facts->end() ? std::string("-") : found->second);
  }
  return values;
}

void add_program(const Run& run, std::map<std::string, std::string>& facts) {
  for (const char* fact : {"version", "git_revision", "git_dirty"}) {
    const auto found = run.producer.find(fact);
    if (found != run.producer.end())
      facts[fmt::format("program.{}", fact)] = text::printable(found->second, kShown);
  }
}

void add_ranks(const Run& run, std::map<std::string, std::string>& facts) {
  if (run.ranks.empty()) return;
  std::set<std::string> nodes;
  std::vector<std::string> cores;
  for (const RankInfo& rank : run.ranks) {
    nodes.insert(rank.node);
    cores.push_back(rank.cpuset.empty() ? "any" : rank.cpuset);
  }
  facts["ranks"] = std::to_string(run.ranks.size());
  facts["nodes"] = std::to_string(nodes.size());
  facts["rank_cores"] = text::printable(text::join(cores, "; "), kShown);
}

}  // namespace

std::string_view to_string(FactClass fact_class) {
  switch (fact_class) {
    case FactClass::identity:
      return "identity";
    case FactClass::suspect:
      return "suspect";
    case FactClass::noise:
      return "noise";
  }
  return "suspect";
}

FactClass class_of(std::string_view fact) {
  constexpr std::array<std::string_view, 7> kIdentity = {
      "cpu_model", "cpu_count", "machine", "ranks", "nodes", "gpu_model", "gpu_count"};
  constexpr std::array<std::string_view, 6> kNoise = {"load_average",    "env.SLURM_JOB_ID",
                                                      "env.PBS_JOBID",   "env.LSB_JOBID",
                                                      "env.FLUX_JOB_ID", "memory_available"};
  // What mpirun tells its own processes: job numbers, folders and addresses of this launch.
  constexpr std::array<std::string_view, 3> kLauncher = {
      "env.OMPI_MCA_orte_", "env.OMPI_MCA_ess_base_", "env.OMPI_MCA_initial_wdir"};
  const auto starts = [fact](std::string_view prefix) { return fact.starts_with(prefix); };
  if (std::any_of(kLauncher.begin(), kLauncher.end(), starts)) return FactClass::noise;
  // What changes during a run too; telemetry says what it did in each case.
  constexpr std::array<std::string_view, 5> kChanging = {
      "end.", "processes_of_other_users", "cpu_clock_now", "cpu_throttle_events", "nic_errors."};
  if (std::any_of(kChanging.begin(), kChanging.end(), starts)) return FactClass::noise;
  if (std::find(kIdentity.begin(), kIdentity.end(), fact) != kIdentity.end())
    return FactClass::identity;
  if (std::find(kNoise.begin(), kNoise.end(), fact) != kNoise.end()) return FactClass::noise;
  return FactClass::suspect;
}

std::map<std::string, std::string> environment_facts(const Run& run) {
  std::map<std::string, std::string> facts;
  for (const auto& [fact, value] : run.environment.common) {
    facts[text::printable(fact, kShown)] = text::printable(value, kShown);
  }
  for (const auto& [fact, by_node] : run.environment.differs) {
    std::set<std::string> values;
    for (const auto& [node, value] : by_node) values.insert(text::printable(value, kShown));
    facts[text::printable(fact, kShown)] = joined(values, ", ");
  }
  add_program(run, facts);
  add_ranks(run, facts);
  return facts;
}

std::vector<EnvironmentDifference> environment_differences(
    std::span<const std::map<std::string, std::string>* const> a,
    std::span<const std::map<std::string, std::string>* const> b) {
  std::set<std::string> facts;
  for (const auto& side : {a, b}) {
    for (const auto* run : side) {
      for (const auto& [fact, value] : *run) facts.insert(fact);
    }
  }
  std::vector<EnvironmentDifference> differences;
  for (const std::string& fact : facts) {
    const FactClass fact_class = class_of(fact);
    const std::set<std::string> left = values_of(a, fact), right = values_of(b, fact);
    if (fact_class == FactClass::noise || left == right) continue;
    differences.push_back({fact, joined(left, " | "), joined(right, " | "), fact_class});
  }
  std::stable_sort(differences.begin(), differences.end(),
                   [](const auto& x, const auto& y) { return x.fact_class < y.fact_class; });
  return differences;
}

}  // namespace scalemark::report
