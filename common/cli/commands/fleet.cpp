// SPDX-License-Identifier: Apache-2.0
// `scalemark fleet`: which nodes and links of a cluster are slow, from what nodes measured by
// themselves and from screenings of pairs.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/analysis/fleet_table.hpp"
#include "common/analysis/node_names.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/fleet_print.hpp"
#include "common/cli/commands/page_file.hpp"
#include "common/cli/commands/read_digest.hpp"
#include "common/cli/commands/topology_file.hpp"
#include "common/fleet/host_names.hpp"
#include "common/formats/input.hpp"
#include "common/html/fleet_page.hpp"
#include "common/result/software_gpu.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

struct FleetArguments {
  std::vector<std::string> paths, history;
  std::string baseline, topology, hosts, failing, only_together, only, format = "text";
  std::string page;  ///< empty = none
  bool all = false, force = false;
};

/// None if no file is given.
std::vector<std::string> names_in(const std::string& file) {
  if (file.empty()) return {};
  return fleet::host_names(formats::read_text(file), file);
}

/// Groups of names, one a line. None if no file is given.
std::vector<std::vector<std::string>> groups_in(const std::string& file) {
  std::vector<std::vector<std::string>> groups;
  if (file.empty()) return groups;
  for (const std::string& line : text::split(formats::read_text(file), '\n'))
    if (auto names = fleet::host_names(line, file); !names.empty())
      groups.push_back(std::move(names));
  return groups;
}

/// Calls `take` with the run's header and one case after another, with hosts by these names.
template <typename Take>
void visit_cases(const std::filesystem::path& file, const analysis::NodeNames& names,
                 const Take& take) {
  Run run;
  visit_run(file, {},
            {.header =
                 [&](Run header) {
                   refuse_software_gpu(header);
                   run = std::move(header);
                   names.rename(run);
                 },
             .one_case =
                 [&](const CaseResult& one) {
                   if (names.empty()) return take(run, one);
                   CaseResult renamed = one;
                   names.rename(renamed);
                   take(run, renamed);
                 }});
}

/// Files, and the runs of folders and of the folders in them: one for each earlier look at the
/// fleet. Throws InputError for a path that has no run.
std::vector<std::filesystem::path> history_files(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  const auto take = [&](const std::filesystem::path& path) {
    const std::vector<std::filesystem::path> found = find_runs(path);
    files.insert(files.end(), found.begin(), found.end());
  };
  for (const std::string& path : paths) {
    std::error_code error;
    std::set<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
      if (entry.is_directory(error) && entry.path().extension() != ".parts")
        folders.insert(entry.path());
    const std::size_t before = files.size();
    for (const std::filesystem::path& folder : folders) {
      try {
        take(folder);
      } catch (const InputError&) {  // a folder of something else
      }
    }
    try {
      take(path);
    } catch (const InputError&) {
      if (files.size() == before) throw;
    }
  }
  return files;
}

/// Of subcommand baseline. Without a file it has no rows. Throws InputError for another file.
analysis::Baseline read_baseline(const std::string& file) {
  analysis::Baseline baseline;
  if (file.empty()) return baseline;
  const compare::RunDigest digest = read_digest(file);
  if (digest.stands_for.empty())
    throw InputError(
        fmt::format("--baseline: {} is none: scalemark baseline makes one of two runs "
                    "or more",
                    text::printable(file)));
  for (const auto& [key, row] : digest.rows)
    baseline.rows[key] = {row.metric, row.value, row.better, row.variance,
                          static_cast<std::size_t>(row.runs)};
  const auto models = [&](const char* fact) {
    const auto found = digest.known_values.find(fact);
    return found == digest.known_values.end() ? std::set<std::string>() : found->second;
  };
  baseline.cpu_models = models("cpu_model");
  baseline.gpu_models = models("gpu_model");
  return baseline;
}

analysis::FleetTable read_fleet(const FleetArguments& options, const fleet::Switches& switches) {
  const std::vector<std::string> hosts = names_in(options.hosts);
  const analysis::NodeNames names(hosts);
  analysis::FleetCases cases({.switches = switches,
                              .hosts = hosts,
                              .failing = names_in(options.failing),
                              .only_together = groups_in(options.only_together),
                              .baseline = read_baseline(options.baseline)});
  std::set<std::string> now;
  for (const std::filesystem::path& file :
       find_all_runs({options.paths.begin(), options.paths.end()}))
    visit_cases(file, names, [&](const Run& run, const CaseResult& one) {
      now.insert(run.uuid);
      cases.add(run, one);
    });
  for (const std::filesystem::path& file : history_files(options.history))
    visit_cases(file, names, [&](const Run& run, const CaseResult& one) {
      if (!now.contains(run.uuid)) cases.add_past(run, one);
    });
  return cases.table();
}

/// Leaves one host, its links, and the groups that it is in.
void keep_only(const std::string& host, analysis::FleetTable& fleet) {
  const auto is_other = [wanted = fleet::short_name(host)](const std::string& name) {
    return fleet::short_name(name) != wanted;
  };
  std::erase_if(fleet.hosts, [&](const auto& one) { return is_other(one.host); });
  std::erase_if(fleet.links,
                [&](const auto& one) { return is_other(one.one) && is_other(one.other); });
  fleet.uplinks.clear();
  fleet.scales.clear();
  std::erase_if(fleet.only_together,
                [&](const auto& group) { return std::ranges::all_of(group, is_other); });
  if (fleet.hosts.empty())
    throw InputError(fmt::format("--only: no file has host '{}'", text::printable(host, 60)));
}

int fleet_command(const FleetArguments& options) {
  if (!options.page.empty()) check_page_file(options.page, options.force);
  const fleet::Switches switches =
      options.topology.empty() ? fleet::Switches() : read_switches(options.topology);
  analysis::FleetTable fleet = read_fleet(options, switches);
  if (fleet.screenings + fleet.lone_cases + fleet.scales.size() == 0) {
    fmt::print(stderr,
               "scalemark fleet: no screening in these files, and nothing that hosts measured by "
               "themselves. jobscripts/fleet.sbatch measures both under Slurm. A screening by "
               "hand, with a rank on each host:\n  mpirun -n HOSTS scalemark run "
               "'^micro/bandwidth$' -a pairs=screening -a bytes=4M -o screening.h5\n");
    return static_cast<int>(ExitCode::nothing);
  }
  if (!options.only.empty()) keep_only(options.only, fleet);
  if (!options.baseline.empty() && fleet.baseline_cases == 0) {
    fmt::print(stderr,
               "scalemark fleet: no host measured a case of --baseline by itself: both need the "
               "same preset and as many ranks on a host\n");
    if (fleet.count(fleet::NodeVerdict::untested) == fleet.hosts.size())
      return static_cast<int>(ExitCode::nothing);
  }
  if (options.format == "json")
    print_fleet_json(fleet);
  else if (options.format == "openmetrics")
    print_fleet_openmetrics(fleet);
  else
    print_fleet_text(fleet, options.all);
  if (!options.page.empty())
    write_page("fleet", options.page,
               html::fleet_page(fleet, {.switches = switches, .drain = drain_lines(fleet)}));
  return static_cast<int>(fleet.has_fault() ? ExitCode::worse : ExitCode::ok);
}

}  // namespace

void add_fleet(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<FleetArguments>();
  CLI::App* command = app.add_subcommand(
      "fleet", "Name slow hosts and links of a cluster, from a screening and from each host alone");
  command
      ->add_option(
          "FILE", options->paths,
          "Result files, or folders of them: screenings (pairs=screening or rails), runs of "
          "one host each (--preset node), and collectives of several hosts")
      ->required();
  command->add_option("--hosts", options->hosts,
                      "File with one name of a host per word (no brackets as in n[1-4]), Slurm's "
                      "NodeNames: printed are these names; hosts without a result are UNTESTED");
  command->add_option("--failing", options->failing,
                      "File with the names of hosts that operations fail with: they are bad");
  command->add_option(
      "--only-together", options->only_together,
      "File with a group of hosts on each line: operations of the whole group fail, "
      "those of each half succeed");
  command
      ->add_option("--history", options->history,
                   "Earlier runs of these hosts, files or folders of folders: hosts that became "
                   "slower than the others did, and what changed on all")
      ->allow_extra_args(false);
  command->add_option(
      "--baseline", options->baseline,
      "File of subcommand baseline, made of runs of accepted hosts (--preset node): "
      "what each host measured by itself is compared with it, too");
  command->add_option("--only", options->only,
                      "Judge this host alone, by comparison with all; the exit code is its own");
  command->add_option(
      "--topology", options->topology,
      "Hosts and switches, in TOML as predict takes them, or Slurm's topology.conf: "
      "name slow links between switches, too");
  CLI::Option* page = command->add_option("-o,--output", options->page,
                                          "Also write an HTML page with the cluster as a map");
  command->add_flag("--force", options->force, "Replace an earlier page")->needs(page);
  command->add_flag("--all", options->all, "List the hosts that are not slow, too");
  command->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember({"text", "json", "openmetrics"}))
      ->capture_default_str();
  command->footer(
      "Exit codes: 0 no fault is named, 1 a bad host, a slow link, or hosts that fail only "
      "together, 2 usage, 3 unreadable input, 4 nothing to judge. 0 does not mean that all were "
      "measured: SUSPECT and UNTESTED hosts, and collectives that are slow at full scale, are in "
      "the output only.");
  command->callback([options, &exit_code] { exit_code = fleet_command(*options); });
}

}  // namespace scalemark::cli
