// SPDX-License-Identifier: Apache-2.0
// Collects facts about the environment, classifies and compares them.
#include "common/compare/environment.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::compare {
namespace {

constexpr std::size_t kShown = 200;  // longest stored value, bytes
// Number of runs from which never_repeats() can decide.
constexpr std::size_t kManyRuns = 4;

/// The values, sorted and separated; "-" if there are none.
std::string joined(const std::set<std::string>& values, std::string_view separator) {
  if (values.empty()) return "-";
  return text::join(std::vector<std::string>(values.begin(), values.end()), separator);
}

/// Variables that mpirun sets per launch: job numbers, folders, addresses.
bool is_of_launch(std::string_view fact) {
  constexpr std::array<std::string_view, 3> kPrefixes = {
      "env.OMPI_MCA_orte_", "env.OMPI_MCA_ess_base_", "env.OMPI_MCA_initial_wdir"};
  return std::ranges::any_of(kPrefixes, [fact](std::string_view p) { return fact.starts_with(p); });
}

bool has_family(const Facts& facts, std::string_view prefix) {
  const auto found = facts.lower_bound(std::string(prefix));
  return found != facts.end() && found->first.starts_with(prefix);
}

/// Whether a missing fact means that the run does not have the thing. A run with an `mpi_library`
/// has recorded its variables and GPUs; a run with any `library.` fact has recorded all libraries.
bool was_looked_for(const Facts& facts, std::string_view fact) {
  if (fact.starts_with("library.")) return has_family(facts, "library.");
  const bool of_machine = fact.starts_with("env.") || fact == "gpu_model" || fact == "gpu_count";
  return of_machine && facts.contains("mpi_library");
}

/// Whether a value starts like a time stamp (2026-01-31T12:00) or a UUID.
bool looks_unique(std::string_view value) {
  const auto fits = [value](std::string_view form) {
    if (value.size() < form.size()) return false;
    return std::ranges::equal(value.substr(0, form.size()), form, [](char c, char f) {
      const auto code = static_cast<unsigned char>(c);
      if (f == 'd') return std::isdigit(code) != 0;
      return f == 'x' ? std::isxdigit(code) != 0 : f == '?' || f == c;
    });
  };
  return fits("dddd-dd-dd?dd:dd") || fits("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
}

/// Whether a fact looks like a number that is different in each run: at least four runs, all values
/// different, each one word with three or more digits.
bool never_repeats(const std::string& fact, std::span<const Facts* const> a,
                   std::span<const Facts* const> b, const std::set<std::string>& values) {
  std::size_t runs = 0;
  for (const auto& side : {a, b}) {
    for (const Facts* facts : side) runs += facts->contains(fact) ? 1 : 0;
  }
  const auto is_number = [](const std::string& value) {
    const auto digits =
        std::ranges::count_if(value, [](unsigned char c) { return std::isdigit(c); });
    return digits >= 3 && value.find(' ') == std::string::npos;
  };
  return runs >= kManyRuns && values.size() == runs && std::ranges::all_of(values, is_number);
}

std::vector<std::string> facts_of(std::span<const Facts* const> a,
                                  std::span<const Facts* const> b) {
  std::set<std::string> names;
  for (const auto& side : {a, b}) {
    for (const Facts* run : side) {
      for (const auto& [fact, value] : *run) names.insert(fact);
    }
  }
  return {names.begin(), names.end()};
}

/// Facts that differ between the sides: with `one_side` those known on one side only, else those
/// known on both.
std::vector<EnvironmentDifference> differing(std::span<const Facts* const> a,
                                             std::span<const Facts* const> b, bool one_side) {
  std::vector<EnvironmentDifference> differences;
  for (const std::string& fact : facts_of(a, b)) {
    const FactClass fact_class = class_of(fact);
    const std::set<std::string> left = known_values(a, fact), right = known_values(b, fact);
    const bool is_one_side = left.empty() || right.empty();
    if (fact_class == FactClass::noise || left == right || is_one_side != one_side) continue;
    std::set<std::string> all = left;
    all.insert(right.begin(), right.end());
    const bool unique = fact_class == FactClass::suspect && never_repeats(fact, a, b, all);
    if (unique || is_identifier(fact, all)) continue;
    differences.push_back({fact, joined(left, " | "), joined(right, " | "), fact_class});
  }
  std::stable_sort(differences.begin(), differences.end(),
                   [](const auto& x, const auto& y) { return x.fact_class < y.fact_class; });
  return differences;
}

void add_program(const Run& run, Facts& facts) {
  // Skip the program that imported the run: it did not measure it.
  if (run.producer.contains("imported_from")) return;
  facts["measured_by"] = "Scalemark";
  for (const char* fact : {"version", "git_revision", "git_dirty"}) {
    const auto found = run.producer.find(fact);
    if (found != run.producer.end())
      facts[fmt::format("program.{}", fact)] = text::printable(found->second, kShown);
  }
}

void add_ranks(const Run& run, Facts& facts) {
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
  const auto starts = [fact](std::string_view prefix) { return fact.starts_with(prefix); };
  if (is_of_launch(fact)) return FactClass::noise;
  // These change during a run; telemetry records them per case.
  constexpr std::array<std::string_view, 5> kChanging = {
      "end.", "processes_of_other_users", "cpu_clock_now", "cpu_throttle_events", "nic_errors."};
  if (std::any_of(kChanging.begin(), kChanging.end(), starts)) return FactClass::noise;
  if (std::find(kIdentity.begin(), kIdentity.end(), fact) != kIdentity.end())
    return FactClass::identity;
  if (std::find(kNoise.begin(), kNoise.end(), fact) != kNoise.end()) return FactClass::noise;
  return FactClass::suspect;
}

bool is_known(std::string_view value) { return value != "-" && !value.starts_with("unavailable"); }

bool is_identifier(std::string_view fact, const std::set<std::string>& values) {
  // Equal for all runs of one build, or a library name such as libhdf5_serial.
  if (fact == "program_build_id" || fact.starts_with("library.")) return false;
  if (is_of_launch(fact)) return true;
  std::string name(fact);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 10> kEndings = {
      "_id",    "jobid",  "uuid",      "guid",       "pid",
      "procid", "serial", "timestamp", "start_time", "end_time"};
  const auto ends = [&name](std::string_view ending) { return name.ends_with(ending); };
  if (std::ranges::any_of(kEndings, ends)) return true;
  return !values.empty() && std::ranges::all_of(values, looks_unique);
}

Facts environment_facts(const Run& run) {
  Facts facts;
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

std::set<std::string> known_values(std::span<const Facts* const> side, const std::string& fact) {
  std::set<std::string> values;
  for (const Facts* facts : side) {
    const auto found = facts->find(fact);
    if (found == facts->end()) {
      if (was_looked_for(*facts, fact)) values.insert("-");
    } else if (is_known(found->second)) {
      values.insert(found->second);
    }
  }
  return values;
}

std::vector<EnvironmentDifference> environment_differences(std::span<const Facts* const> a,
                                                           std::span<const Facts* const> b) {
  return differing(a, b, false);
}

std::vector<EnvironmentDifference> facts_of_one_side(std::span<const Facts* const> a,
                                                     std::span<const Facts* const> b) {
  return differing(a, b, true);
}

}  // namespace scalemark::compare
