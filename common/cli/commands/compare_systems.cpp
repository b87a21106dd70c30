// SPDX-License-Identifier: Apache-2.0
// Reads the runs of several systems and prints their table.
#include "common/cli/commands/compare_systems.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/read_digest.hpp"
#include "common/cli/terminal.hpp"
#include "common/compare/join_runs.hpp"
#include "common/compare/print/systems.hpp"
#include "common/compare/systems.hpp"

namespace scalemark::cli {

std::vector<compare::SystemRuns> read_systems(const std::vector<std::string>& given,
                                              const SystemVisitor& visitor) {
  std::vector<compare::SystemRuns> systems;
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == one.size()) {
      throw UsageError(
          fmt::format("--systems is \"{}\"; allowed: NAME=PATH, where PATH is a result file, a "
                      ".parts folder or "
                      "a folder of runs",
                      text::printable(one, 200)));
    }
    const std::string name = text::printable(one.substr(0, equals), 64);
    const auto is = [&](const compare::SystemRuns& system) { return system.name == name; };
    auto system = std::find_if(systems.begin(), systems.end(), is);
    if (system == systems.end()) system = systems.insert(systems.end(), {name, {}, {}});
    for (const std::filesystem::path& file : find_runs(one.substr(equals + 1))) {
      std::map<std::string, double> peaks;
      const RunVisitor others = visitor ? visitor(name, file) : RunVisitor{};
      RunVisitor also;
      also.header = others.header;
      also.one_case = [&](CaseResult found) {
        compare::add_peak_fraction(found, peaks);
        if (others.one_case) others.one_case(std::move(found));
      };
      system->runs.push_back(read_digest(file, also));
      system->peaks.push_back(std::move(peaks));
    }
  }
  for (compare::SystemRuns& system : systems) {
    std::vector<std::map<std::string, double>> parts = std::move(system.peaks);
    const std::vector<std::size_t> places = compare::join_runs(system.runs);
    system.peaks.assign(system.runs.size(), {});
    for (std::size_t i = 0; i < parts.size(); ++i) system.peaks[places[i]].merge(parts[i]);
  }
  return systems;
}

int compare_systems(const std::vector<std::string>& systems, const compare::CompareOptions& options,
                    const std::string& format) {
  const compare::SystemTable table = compare::system_table(read_systems(systems), options);
  compare::print_systems(table, format, std::cout, table_width());
  if (!table.rows.empty()) return static_cast<int>(ExitCode::ok);
  fmt::print(stderr,
             "scalemark compare: no case has a result on two systems: nothing was compared\n");
  return static_cast<int>(ExitCode::nothing);
}

}  // namespace scalemark::cli
