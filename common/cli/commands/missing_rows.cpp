// SPDX-License-Identifier: Apache-2.0
// Makes the commands that measure missing rows.
#include "common/cli/commands/missing_rows.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"

namespace scalemark::cli {
namespace {

/// Values by axis. A command measures all combinations.
using Lists = std::map<std::string, std::vector<std::string>>;

/// Axes with more values first.
std::vector<std::string> by_number_of_values(const std::vector<Lists>& points) {
  std::map<std::string, std::set<std::string>> values;
  for (const Lists& point : points) {
    for (const auto& [axis, list] : point) values[axis].insert(list.begin(), list.end());
  }
  std::vector<std::string> axes;
  for (const auto& [axis, list] : values) axes.push_back(axis);
  std::ranges::stable_sort(axes, std::greater(),
                           [&](const std::string& axis) { return values.at(axis).size(); });
  return axes;
}

/// Joins those that differ in this axis only.
std::vector<Lists> joined(const std::vector<Lists>& all, const std::string& axis) {
  std::map<Lists, std::size_t> places;  // by the other axes
  std::vector<Lists> result;
  for (const Lists& one : all) {
    Lists others = one;
    const std::vector<std::string> values = std::exchange(others[axis], {});
    const auto [place, is_new] = places.emplace(others, result.size());
    if (is_new) {
      result.push_back(one);
    } else {
      std::vector<std::string>& list = result[place->second][axis];
      list.insert(list.end(), values.begin(), values.end());
    }
  }
  return result;
}

/// Adds commands that measure these parts of one benchmark, and nothing else.
void add_commands(const std::string& benchmark, const std::vector<WorkloadPart>& parts,
                  std::vector<std::string>& commands) {
  std::vector<Lists> all;
  std::int64_t ranks = 1;
  for (const WorkloadPart& part : parts) {
    Lists& point = all.emplace_back();
    for (const auto& [axis, value] : part.point) point[axis] = {to_text(value)};
    ranks = std::max(ranks, part.point.integer("ranks", 1));
  }
  for (const std::string& axis : by_number_of_values(all)) all = joined(all, axis);
  for (const Lists& one : all) {
    std::string command = ranks > 1 ? fmt::format("mpirun -n {} ", ranks) : std::string();
    command += fmt::format("scalemark run '^{}$'", benchmark);
    for (const auto& [axis, list] : one)
      command += fmt::format(" -a {}={}", axis, text::join(list, ","));
    commands.push_back(command);
  }
}

void print_commands(const std::vector<WorkloadPart>& parts, std::size_t first) {
  const std::vector<std::string> commands = measuring_commands(parts);
  for (std::size_t i = 0; i < commands.size(); ++i)
    fmt::print(stderr, "  {} -o rows-{}.h5\n", commands[i], first + i);
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

void print_unknown_operations(const std::string& subcommand,
                              const std::map<std::string, std::string>& reasons) {
  for (const auto& [key, reason] : reasons)
    fmt::print(stderr, "scalemark {}: the operations of {} are not known: {}\n", subcommand,
               text::printable(key, 400), reason);
}

void print_estimated_rows(const std::string& subcommand,
                          const std::vector<WorkloadPart>& estimated) {
  fmt::print(
      stderr,
      "scalemark {}: {} of parts of a step are estimated by a roofline (squares of micro/gemm, "
      "triad of micro/stream). Commands that measure these parts:\n",
      subcommand, text::counted(estimated.size(), "row"));
  print_commands(estimated, 1);
}

void print_missing_rows(const std::string& subcommand, const std::vector<WorkloadPart>& missing,
                        const std::string& where, std::size_t first) {
  fmt::print(stderr, "scalemark {}: {} of parts of a step are missing{}. To measure them:\n",
             subcommand, text::counted(missing.size(), "row"), where);
  print_commands(missing, first);
}

}  // namespace scalemark::cli
