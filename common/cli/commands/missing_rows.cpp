// SPDX-License-Identifier: Apache-2.0
// Makes the commands that measure missing rows.
#include "common/cli/commands/missing_rows.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"

namespace scalemark::cli {
namespace {

/// The axis with the most values.
std::string most_varied_axis(const std::vector<WorkloadPart>& parts) {
  std::map<std::string, std::set<std::string>> values;  // by axis
  for (const WorkloadPart& part : parts) {
    for (const auto& [axis, value] : part.point) values[axis].insert(to_text(value));
  }
  return std::ranges::max_element(values, {}, [](const auto& one) { return one.second.size(); })
      ->first;
}

/// Adds commands that measure these parts of one benchmark, as few as lists of one axis allow.
void add_commands(const std::string& benchmark, const std::vector<WorkloadPart>& parts,
                  std::vector<std::string>& commands) {
  const std::string listed = most_varied_axis(parts);
  std::map<std::string, std::vector<std::string>> lists;  // by the other axes
  for (const WorkloadPart& part : parts) {
    std::string others, own;
    for (const auto& [axis, value] : part.point) {
      if (axis == listed)
        own = to_text(value);
      else
        others += fmt::format(" -a {}={}", axis, to_text(value));
    }
    lists[others].push_back(own);
  }
  for (const auto& [others, list] : lists)
    commands.push_back(fmt::format("scalemark run '^{}$'{} -a {}={}", benchmark, others, listed,
                                   text::join(list, ",")));
}

}  // namespace

void add_missing(const std::vector<WorkloadPart>& parts, std::vector<WorkloadPart>& missing) {
  for (const WorkloadPart& part : parts) {
    const bool is_known =
        std::ranges::any_of(missing, [&](const WorkloadPart& one) { return one.has_row_of(part); });
    if (!is_known) missing.push_back(part);
  }
}

std::vector<std::string> measuring_commands(const std::vector<WorkloadPart>& missing) {
  std::map<std::string, std::vector<WorkloadPart>> by_benchmark;
  for (const WorkloadPart& part : missing) by_benchmark[part.benchmark].push_back(part);
  std::vector<std::string> commands;
  for (const auto& [benchmark, parts] : by_benchmark) add_commands(benchmark, parts, commands);
  return commands;
}

void print_missing_rows(const std::string& subcommand, const std::vector<WorkloadPart>& missing,
                        const std::string& where) {
  const std::vector<std::string> commands = measuring_commands(missing);
  fmt::print(stderr, "scalemark {}: {} of parts of a step are missing{}. To measure them:\n",
             subcommand, text::counted(missing.size(), "row"), where);
  for (std::size_t i = 0; i < commands.size(); ++i)
    fmt::print(stderr, "  {} -o rows-{}.h5\n", commands[i], i + 1);
}

}  // namespace scalemark::cli
