// SPDX-License-Identifier: Apache-2.0
// `scalemark campaign`: the jobs that a campaign's file describes. jobscripts/campaign.sh submits
// them.
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/campaign_file.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/terminal.hpp"
#include "common/core/preset.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::cli {
namespace {

struct CampaignArguments {
  std::string file, format = "text";
  std::vector<std::string> clusters, jobs;
};

/// Throws UsageError for a name that no part of the file has.
template <typename Part>
void keep_named(const char* option, const std::vector<std::string>& wanted,
                std::vector<Part>& parts) {
  if (wanted.empty()) return;
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.name);
  for (const std::string& name : wanted)
    if (std::ranges::find(names, name) == names.end())
      throw UsageError(fmt::format("{} is '{}'{}", option, text::printable(name, 80),
                                   text::did_you_mean(name, names)));
  std::erase_if(parts, [&](const Part& part) {
    return std::ranges::find(wanted, part.name) == wanted.end();
  });
}

void print_campaign_text(const std::vector<CampaignSubmission>& all) {
  std::vector<text::TextRow> rows;
  double node_hours = 0;
  for (const CampaignSubmission& one : all) {
    rows.push_back(
        {.cells = {one.cluster, one.job, std::to_string(one.nodes), std::to_string(one.ranks),
                   std::to_string(one.repeats), one.limit, fmt::format("{:.1f}", one.node_hours),
                   one.baseline.empty() ? "-" : "yes", text::printable(one.output.string())},
         .color = {}});
    node_hours += one.node_hours;
  }
  text::print_text_table({{.header = "cluster"},
                          {.header = "job"},
                          {.header = "nodes", .number = true},
                          {.header = "ranks", .number = true},
                          {.header = "runs", .number = true},
                          {.header = "time", .number = true},
                          {.header = "node-hours <=", .number = true},
                          {.header = "compared"},
                          {.header = "output", .shrinks = true}},
                         rows, table_width(), std::cout);
  fmt::print(std::cout, "{} jobs, at most {:.1f} node-hours\n", all.size(), node_hours);
}

void print_campaign_json(const Campaign& campaign, const std::vector<CampaignSubmission>& all) {
  nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
  for (const CampaignSubmission& one : all) {
    nlohmann::ordered_json words = nlohmann::ordered_json::array();
    for (const std::string& word : one.words) words.push_back(text::json_text(word));
    jobs.push_back({{"cluster", one.cluster},
                    {"job", one.job},
                    {"nodes", one.nodes},
                    {"ranks", one.ranks},
                    {"repeats", one.repeats},
                    {"seconds", one.seconds},
                    {"node_hours", one.node_hours},
                    {"output", text::json_text(one.output.string())},
                    {"baseline", text::json_text(one.baseline.string())},
                    {"submit", words}});
  }
  const nlohmann::ordered_json document = {{"format", "scalemark-campaign"},
                                           {"version", 1},
                                           {"description", text::json_text(campaign.description)},
                                           {"jobs", jobs}};
  fmt::print(std::cout, "{}\n", document.dump(2));
}

/// The words of each call end with a NUL, and each call with a line feed and a NUL. No word has
/// either.
void print_campaign_words(const std::vector<CampaignSubmission>& all) {
  for (const CampaignSubmission& one : all) {
    for (const std::string& word : one.words) std::cout << word << '\0';
    std::cout << '\n' << '\0';
  }
}

int campaign_command(const CampaignArguments& options) {
  Campaign campaign = read_campaign(options.file);
  keep_named("--cluster", options.clusters, campaign.clusters);
  keep_named("--job", options.jobs, campaign.jobs);
  std::set<std::string> presets;
  for (const CampaignJob& job : campaign.jobs)
    if (!job.preset.empty() && presets.insert(job.preset).second)
      load_preset(Registry::instance(), job.preset);
  const std::vector<CampaignSubmission> all = submissions_of(campaign);
  if (all.empty()) {
    fmt::print(stderr, "scalemark campaign: no job runs on these clusters\n");
    return static_cast<int>(ExitCode::nothing);
  }
  if (options.format == "json")
    print_campaign_json(campaign, all);
  else if (options.format == "words")
    print_campaign_words(all);
  else
    print_campaign_text(all);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_campaign(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CampaignArguments>();
  CLI::App* command = app.add_subcommand(
      "campaign", "List the jobs of a campaign: presets on numbers of nodes of clusters");
  command
      ->add_option(
          "FILE", options->file,
          "TOML file, as jobscripts/campaign.toml. jobscripts/campaign.sh submits its jobs")
      ->required();
  command->add_option("--cluster", options->clusters, "Only the jobs of this cluster; repeatable")
      ->allow_extra_args(false);
  command->add_option("--job", options->jobs, "Only this job; repeatable")->allow_extra_args(false);
  command
      ->add_option(
          "--format", options->format,
          "Output format; words: the arguments of jobscripts/submit.sh, each followed by a "
          "NUL, each job by a line feed and a NUL")
      ->check(CLI::IsMember({"text", "json", "words"}))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = campaign_command(*options); });
}

}  // namespace scalemark::cli
