// SPDX-License-Identifier: Apache-2.0
// Environment facts of the runs of a page.
#include "common/compare/environment.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxFacts = 400;

/// The most important facts, shown first.
const std::vector<std::string>& headline_facts() {
  static const std::vector<std::string> facts = {
      "cpu_model", "cpu_count",      "nodes",          "ranks",       "gpu_model",
      "gpu_count", "gpu_driver",     "memory_total",   "mpi_library", "os",
      "kernel",    "build.compiler", "build.libtorch", "build.cuda",  "build.nccl"};
  return facts;
}

}  // namespace

std::string environment_facts(std::span<const RunExtract> runs) {
  std::map<std::string, std::set<std::string>> values;
  for (const RunExtract& run : runs) {
    for (const auto& [fact, value] : run.facts) values[fact].insert(value);
  }
  std::vector<TableRow> first, differing, others;
  for (const std::string& fact : headline_facts()) {
    const auto found = values.find(fact);
    if (found == values.end()) continue;
    const std::vector<std::string> texts(found->second.begin(), found->second.end());
    first.push_back({{fact, text::join(texts, " | ")}, ""});
  }
  for (const auto& [fact, seen] : values) {
    if (others.size() + differing.size() == kMaxFacts) break;
    const std::vector<std::string> texts(seen.begin(), seen.end());
    const auto known = std::ranges::count_if(seen, compare::is_known);
    const bool telling =
        compare::class_of(fact) != compare::FactClass::noise && !compare::is_identifier(fact, seen);
    auto& rows = known > 1 && telling ? differing : others;
    rows.push_back({{fact, text::join(texts, " | ")}, ""});
  }
  std::string html;
  if (!differing.empty()) {
    html += note("These runs were not made under the same conditions:");
    html += table("Facts that differ between the runs", {{"fact"}, {"values"}}, differing);
  }
  if (!first.empty()) html += table("Machine and software", {{"fact"}, {"value"}}, first);
  if (!others.empty())
    html += folded("All facts", table("Facts as stored", {{"fact"}, {"value"}}, others));
  return html;
}

}  // namespace scalemark::html
