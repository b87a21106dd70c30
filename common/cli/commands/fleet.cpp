// SPDX-License-Identifier: Apache-2.0
// `scalemark fleet`: which nodes and links of a cluster are slow, from what nodes measured by
// themselves and from screenings of pairs.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/analysis/fleet_table.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/fleet_print.hpp"
#include "common/cli/commands/topology_file.hpp"
#include "common/fleet/host_names.hpp"
#include "common/formats/input.hpp"
#include "common/result/software_gpu.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

struct FleetArguments {
  std::vector<std::string> paths;
  std::string topology, hosts, failing, only, format = "text";
  bool all = false;
};

/// None if no file is given.
std::vector<std::string> names_in(const std::string& file) {
  if (file.empty()) return {};
  return fleet::host_names(formats::read_text(file), file);
}

analysis::FleetTable read_fleet(const FleetArguments& options) {
  analysis::FleetCases cases({.switches = options.topology.empty()
                                              ? std::map<std::string, std::string>()
                                              : read_topology(options.topology).leaves(),
                              .hosts = names_in(options.hosts),
                              .failing = names_in(options.failing)});
  for (const std::string& path : options.paths) {
    for (const std::filesystem::path& file : find_runs(path)) {
      Run run;
      visit_run(file, {},
                {.header =
                     [&](Run header) {
                       refuse_software_gpu(header);
                       run = std::move(header);
                     },
                 .one_case = [&](const CaseResult& one) { cases.add(run, one); }});
    }
  }
  return cases.table();
}

/// Leaves one host and its links.
void keep_only(const std::string& host, analysis::FleetTable& fleet) {
  const auto is_other = [wanted = fleet::short_name(host)](const std::string& name) {
    return fleet::short_name(name) != wanted;
  };
  std::erase_if(fleet.hosts, [&](const auto& one) { return is_other(one.host); });
  std::erase_if(fleet.links,
                [&](const auto& one) { return is_other(one.one) && is_other(one.other); });
  if (fleet.hosts.empty())
    throw InputError(fmt::format("--only: no file has host '{}'", text::printable(host, 60)));
}

int fleet_command(const FleetArguments& options) {
  analysis::FleetTable fleet = read_fleet(options);
  if (fleet.screenings + fleet.lone_cases == 0) {
    fmt::print(stderr,
               "scalemark fleet: no screening in these files, and nothing that hosts measured by "
               "themselves. jobscripts/fleet.sbatch measures both under Slurm. A screening by "
               "hand, with a rank on each host:\n  mpirun -n HOSTS scalemark run "
               "'^micro/bandwidth$' -a pairs=screening -a bytes=4M -o screening.h5\n");
    return static_cast<int>(ExitCode::nothing);
  }
  if (!options.only.empty()) keep_only(options.only, fleet);
  if (options.format == "json")
    print_fleet_json(fleet);
  else
    print_fleet_text(fleet, options.all);
  return static_cast<int>(fleet.count(fleet::NodeVerdict::bad) > 0 ? ExitCode::worse
                                                                   : ExitCode::ok);
}

}  // namespace

void add_fleet(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<FleetArguments>();
  CLI::App* command = app.add_subcommand(
      "fleet", "Name slow hosts and links of a cluster, from a screening and from each host alone");
  command
      ->add_option("FILE", options->paths,
                   "Result files, or folders of them: screenings (pairs=screening), and runs of "
                   "one host each (--preset node)")
      ->required();
  command->add_option("--hosts", options->hosts,
                      "File with the names of all hosts: those without a result are untested");
  command->add_option("--failing", options->failing,
                      "File with the names of hosts that operations fail with: they are bad");
  command->add_option("--only", options->only,
                      "Judge this host alone, by comparison with all; the exit code is its own");
  command->add_option("--topology", options->topology,
                      "TOML file of hosts and switches, as predict takes it: name slow links "
                      "between switches, too");
  command->add_flag("--all", options->all, "List the hosts that are not slow, too");
  command->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = fleet_command(*options); });
}

}  // namespace scalemark::cli
