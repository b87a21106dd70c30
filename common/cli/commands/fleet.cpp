// SPDX-License-Identifier: Apache-2.0
// `scalemark fleet`: which nodes and links of a cluster are slow, from screenings of pairs.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "common/analysis/screened_fleet.hpp"
#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/topology_file.hpp"
#include "common/cli/terminal.hpp"
#include "common/result/software_gpu.hpp"
#include "common/store/reader.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::cli {
namespace {

using fleet::NodeVerdict;
using nlohmann::ordered_json;

struct FleetArguments {
  std::vector<std::string> paths;
  std::string topology, format = "text";
  bool all = false;
};

/// What one case says of a host: the verdict of its slowest rank.
struct Evidence {
  std::string key;  ///< of the case
  std::size_t rank = 0;
  fleet::JudgedNode judged;

  /// Worse verdicts first, then larger factors.
  auto order() const {
    static constexpr std::array kSeverity{0, 2, 3, 1};  // ok, suspect, bad, untested
    return std::tuple(kSeverity[static_cast<std::size_t>(judged.verdict)], judged.factor);
  }
};

struct SlowLink {
  std::string key, host, peer;
  double factor = 1;
  std::size_t times = 0;
};

/// The hosts and links of all screenings.
struct Fleet {
  std::map<std::string, std::string> switches;  ///< above each host; empty: not known
  std::map<std::string, Evidence> hosts;        ///< the worst of each
  std::vector<SlowLink> links, uplinks;         ///< between hosts, and between switches
  std::size_t screenings = 0;

  void add(const CaseResult& result) {
    const auto found = analysis::screened_fleet(result);
    if (!found) return;
    ++screenings;
    for (std::size_t rank = 0; rank < found->ranks.size(); ++rank) {
      const analysis::ScreenedRank& one = found->ranks[rank];
      const Evidence evidence{result.key, rank, one.judged};
      const auto [known, is_new] = hosts.try_emplace(one.host, evidence);
      if (!is_new && known->second.order() < evidence.order()) known->second = evidence;
    }
    for (const fleet::SlowPair& pair : found->links)
      links.push_back({result.key, found->ranks[pair.nodes.a].host, found->ranks[pair.nodes.b].host,
                       pair.factor, pair.times});
    if (!switches.empty()) add_uplinks(result.key, *found);
  }

  void add_uplinks(const std::string& key, const analysis::ScreenedFleet& found) {
    std::vector<std::string> leaves;
    for (const analysis::ScreenedRank& rank : found.ranks) {
      const auto known = switches.find(rank.host);
      if (known == switches.end())
        throw InputError(fmt::format("--topology names no host '{}', which a screening has",
                                     text::printable(rank.host, 60)));
      leaves.push_back(known->second);
    }
    for (const fleet::SlowLeaves& pair : fleet::slow_leaves(leaves, found.times))
      uplinks.push_back({key, pair.a, pair.b, pair.factor, pair.pairs});
  }

  std::size_t count(NodeVerdict verdict) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        hosts, [&](const auto& one) { return one.second.judged.verdict == verdict; }));
  }
};

Fleet read_fleet(const FleetArguments& options) {
  Fleet fleet;
  if (!options.topology.empty()) fleet.switches = read_topology(options.topology).leaves();
  for (const std::string& path : options.paths) {
    for (const std::filesystem::path& file : find_runs(path))
      visit_run(file, {},
                {.header = [](const Run& run) { refuse_software_gpu(run); },
                 .one_case = [&](const CaseResult& one) { fleet.add(one); }});
  }
  return fleet;
}

std::string reason_of(const Evidence& evidence) {
  return fmt::format("{:.2f} times as long as the median, {}", evidence.judged.factor,
                     text::counted(evidence.judged.pairs, "pair"));
}

/// Whether a name from a file may stand in a shell's command.
bool is_host_name(const std::string& name) {
  return !name.empty() && name.size() < 256 && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '.' || c == '_';
         });
}

/// Lines that drain the bad hosts in Slurm. They are printed, never run.
std::vector<std::string> drain_lines(const Fleet& fleet) {
  std::vector<std::string> lines;
  for (const auto& [host, evidence] : fleet.hosts) {
    if (evidence.judged.verdict == NodeVerdict::bad && is_host_name(host))
      lines.push_back(
          fmt::format("scontrol update NodeName={} State=DRAIN Reason=\"scalemark: {}\"", host,
                      reason_of(evidence)));
  }
  return lines;
}

void print_text(const Fleet& fleet, bool all) {
  std::vector<std::pair<std::string, Evidence>> hosts(fleet.hosts.begin(), fleet.hosts.end());
  std::ranges::stable_sort(
      hosts, [](const auto& a, const auto& b) { return a.second.order() > b.second.order(); });
  std::vector<text::TextRow> table;
  for (const auto& [host, one] : hosts) {
    if (one.judged.verdict == NodeVerdict::ok && !all) continue;
    table.push_back(
        {.cells = {std::string(to_string(one.judged.verdict)), text::printable(host, 60),
                   std::to_string(one.rank), fmt::format("{:.2f}", one.judged.factor),
                   std::to_string(one.judged.pairs), text::printable(one.key, 200)},
         .color = {}});
  }
  if (!table.empty())
    text::print_text_table({{.header = "verdict"},
                            {.header = "host"},
                            {.header = "rank", .number = true},
                            {.header = "factor", .number = true},
                            {.header = "pairs", .number = true},
                            {.header = "case"}},
                           table, table_width(), std::cout);
  const auto print_links = [](const std::vector<SlowLink>& links, const char* than) {
    for (const SlowLink& link : links)
      fmt::print(std::cout, "{} - {}: {:.2f} times as long as {}, in {}: {}\n",
                 text::printable(link.host, 60), text::printable(link.peer, 60), link.factor, than,
                 text::counted(link.times, "measurement"), text::printable(link.key, 200));
  };
  print_links(fleet.links, "their other pairs");
  print_links(fleet.uplinks, "other pairs of switches");
  fmt::print(std::cout, "{} in {}: {} bad, {} suspect, {} untested, {}\n",
             text::counted(fleet.hosts.size(), "host"),
             text::counted(fleet.screenings, "screening"), fleet.count(NodeVerdict::bad),
             fleet.count(NodeVerdict::suspect), fleet.count(NodeVerdict::untested),
             text::counted(fleet.links.size() + fleet.uplinks.size(), "slow link"));
  for (const std::string& line : drain_lines(fleet)) fmt::print(std::cout, "{}\n", line);
}

ordered_json json_of_links(const std::vector<SlowLink>& links, const char* one, const char* other) {
  ordered_json all = ordered_json::array();
  for (const SlowLink& link : links)
    all.push_back({{one, text::json_text(link.host)},
                   {other, text::json_text(link.peer)},
                   {"factor", text::json_number(link.factor)},
                   {"measurements", link.times},
                   {"key", text::json_text(link.key)}});
  return all;
}

void print_json(const Fleet& fleet) {
  ordered_json hosts = ordered_json::array();
  for (const auto& [host, one] : fleet.hosts)
    hosts.push_back({{"host", text::json_text(host)},
                     {"verdict", to_string(one.judged.verdict)},
                     {"factor", text::json_number(one.judged.factor)},
                     {"pairs", one.judged.pairs},
                     {"rank", one.rank},
                     {"key", text::json_text(one.key)}});
  const ordered_json all = {{"screenings", fleet.screenings},
                            {"hosts", hosts},
                            {"links", json_of_links(fleet.links, "host", "peer")},
                            {"uplinks", json_of_links(fleet.uplinks, "switch", "other")},
                            {"drain", drain_lines(fleet)}};
  std::cout << all.dump(1) << "\n";
}

int fleet_command(const FleetArguments& options) {
  const Fleet fleet = read_fleet(options);
  if (fleet.screenings == 0) {
    fmt::print(stderr,
               "scalemark fleet: no screening in these files. To measure one, with a rank on each "
               "host:\n  mpirun -n HOSTS scalemark run '^micro/bandwidth$' -a pairs=screening -a "
               "bytes=4M -o screening.h5\n");
    return static_cast<int>(ExitCode::nothing);
  }
  if (options.format == "json")
    print_json(fleet);
  else
    print_text(fleet, options.all);
  return static_cast<int>(fleet.count(NodeVerdict::bad) > 0 ? ExitCode::worse : ExitCode::ok);
}

}  // namespace

void add_fleet(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<FleetArguments>();
  CLI::App* command =
      app.add_subcommand("fleet", "Name slow hosts and links of a cluster, from a screening");
  command
      ->add_option("FILE", options->paths,
                   "Result files, or folders of them, with cases of pairs=screening")
      ->required();
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
