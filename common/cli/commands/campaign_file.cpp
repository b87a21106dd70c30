// SPDX-License-Identifier: Apache-2.0
// Reads campaigns.
#include "common/cli/commands/campaign_file.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/core/toml.hpp"

namespace scalemark::cli {
namespace {

constexpr std::int64_t kMaxNodes = 1 << 18, kMaxPerNode = 1 << 12, kMaxRepeats = 1000,
                       kMaxSeconds = 999 * 3600;
constexpr std::size_t kMaxJobs = 10000;

const std::vector<std::string> kSchedulers = {"slurm", "pbs", "lsf", "flux", "mpirun"};

bool is_campaign_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= 60 && name.front() != '-' &&
         std::ranges::all_of(name, allowed);
}

/// The values of a table of a campaign. A key that is asked for and not there keeps its value.
class CampaignTable {
 public:
  CampaignTable(const toml::table& table, const std::string& origin,
                const std::vector<std::string>& known)
      : table_(table), origin_(origin) {
    for (const auto& [key, node] : table)
      if (std::ranges::find(known, key.str()) == known.end())
        fail_unknown_key(origin, node, key.str(), known);
  }

  void take(const char* key, std::string& value) const {
    if (const toml::node* node = table_.get(key)) value = text_of_node(key, *node);
  }

  void take(const char* key, bool& value) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return;
    if (!node->is_boolean()) fail(*node, key, "true or false");
    value = *node->value<bool>();
  }

  void take(const char* key, std::vector<std::string>& values) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr) fail(*node, key, "an array of texts");
    values.clear();
    for (const toml::node& one : *array) values.push_back(text_of_node(key, one));
  }

  /// `Value`: int, or an optional one.
  template <typename Value>
  void take_number(const char* key, std::int64_t least, std::int64_t most, Value& value) const {
    if (const toml::node* node = table_.get(key))
      value = static_cast<int>(number_of(key, *node, least, most));
  }

  /// A number or an array of numbers of nodes, which are sorted.
  void take_nodes(std::vector<int>& values) const {
    const toml::node* node = table_.get("nodes");
    if (node == nullptr) return;
    values.clear();
    if (const toml::array* array = node->as_array()) {
      for (const toml::node& one : *array)
        values.push_back(static_cast<int>(number_of("nodes", one, 1, kMaxNodes)));
    } else {
      values.push_back(static_cast<int>(number_of("nodes", *node, 1, kMaxNodes)));
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.empty()) fail(*node, "nodes", "at least one number");
  }

  /// A duration such as "90m", in whole seconds.
  void take_seconds(int& value) const {
    const toml::node* node = table_.get("time");
    if (node == nullptr) return;
    const auto seconds = text::parse_seconds(text_of_node("time", *node));
    if (!seconds || *seconds < 60 || *seconds > static_cast<double>(kMaxSeconds))
      fail(*node, "time", "a duration such as \"90m\", from 1m to 999h");
    value = static_cast<int>(*seconds);
  }

  /// The tables below `key`, by name.
  std::vector<std::pair<std::string, const toml::table*>> tables(const char* key) const {
    const toml::node* node = table_.get(key);
    const toml::table* below = node == nullptr ? nullptr : node->as_table();
    if (below == nullptr)
      fail_at(origin_, node == nullptr ? static_cast<const toml::node&>(table_) : *node,
              fmt::format("the file needs parts [{}.NAME]", key));
    std::vector<std::pair<std::string, const toml::table*>> found;
    for (const auto& [name, one] : *below) {
      if (!one.is_table() || !is_campaign_name(name.str()))
        fail_at(origin_, one,
                fmt::format("'{}' is no part [{}.NAME]; allowed: a name of up to 60 letters, "
                            "digits, '_' and '-'",
                            text::printable(name.str(), 80), key));
      found.emplace_back(name.str(), one.as_table());
    }
    // The file's order.
    std::ranges::sort(found, {}, [](const auto& one) {
      const auto begin = one.second->source().begin;
      return std::pair(begin.line, begin.column);
    });
    return found;
  }

  void take_stage(std::map<std::string, std::string>& stage) const {
    const toml::node* node = table_.get("stage");
    if (node == nullptr) return;
    if (!node->is_table()) fail(*node, "stage", "a table such as {rgb300 = \"/data/rgb300\"}");
    for (const auto& [name, folder] : *node->as_table()) {
      if (!text::is_identifier(name.str())) fail(folder, "stage", "names of data sets");
      stage[std::string(name.str())] = text_of_node("stage", folder);
    }
  }

  [[noreturn]] void fail(const toml::node& node, const char* key, const char* allowed) const {
    fail_at(origin_, node, fmt::format("'{}' is not allowed; allowed: {}", key, allowed));
  }

  /// Fails at `key`, or at the table if it is not there.
  [[noreturn]] void fail(const char* key, const char* allowed) const {
    const toml::node* node = table_.get(key);
    fail(node == nullptr ? static_cast<const toml::node&>(table_) : *node, key, allowed);
  }

 private:
  std::string text_of_node(const char* key, const toml::node& node) const {
    const auto text = node.value_exact<std::string>();
    const auto is_control = [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    };
    if (!text || text->empty() || std::ranges::any_of(*text, is_control))
      fail(node, key, "a text in quotes, without control characters");
    return *text;
  }

  std::int64_t number_of(const char* key, const toml::node& node, std::int64_t least,
                         std::int64_t most) const {
    const auto value = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
    if (!value || *value < least || *value > most)
      fail(node, key, fmt::format("whole numbers from {} to {}", least, most).c_str());
    return *value;
  }

  const toml::table& table_;
  const std::string& origin_;
};

/// Paths are meant from the folder of the campaign's file.
std::string from_folder(const std::filesystem::path& folder, const std::string& path) {
  return path.empty() ? path : (folder / path).lexically_normal().string();
}

/// A preset's file, or the name of a built-in one.
std::string preset_of(const std::filesystem::path& folder, const std::string& preset) {
  const bool is_file = preset.find('/') != std::string::npos || preset.ends_with(".toml");
  return is_file ? from_folder(folder, preset) : preset;
}

CampaignCluster cluster_of(const std::string& name, const toml::table& table,
                           const std::string& origin, const std::filesystem::path& folder) {
  const CampaignTable values(table, origin,
                             {"scheduler", "ranks_per_node", "gpus_per_node", "cpus_per_rank",
                              "max_nodes", "queue", "account", "mpi", "container", "hostfile",
                              "scratch", "modules", "arguments", "stage", "array", "requeue"});
  CampaignCluster cluster{.name = name};
  values.take("scheduler", cluster.scheduler);
  if (std::ranges::find(kSchedulers, cluster.scheduler) == kSchedulers.end())
    values.fail("scheduler", text::join(kSchedulers, ", ").c_str());
  values.take_number("ranks_per_node", 1, kMaxPerNode, cluster.ranks_per_node);
  values.take_number("gpus_per_node", 0, kMaxPerNode, cluster.gpus_per_node);
  values.take_number("cpus_per_rank", 1, kMaxPerNode, cluster.cpus_per_rank);
  values.take_number("max_nodes", 1, kMaxNodes, cluster.max_nodes);
  for (const auto& [key, value] :
       {std::pair("queue", &cluster.queue), std::pair("account", &cluster.account),
        std::pair("mpi", &cluster.mpi), std::pair("container", &cluster.container),
        std::pair("hostfile", &cluster.hostfile), std::pair("scratch", &cluster.scratch)})
    values.take(key, *value);
  values.take("modules", cluster.modules);
  values.take("arguments", cluster.arguments);
  values.take_stage(cluster.stage);
  values.take("array", cluster.array);
  values.take("requeue", cluster.requeue);
  if (!cluster.container.starts_with("docker:") && !cluster.container.starts_with("podman:"))
    cluster.container = from_folder(folder, cluster.container);
  cluster.hostfile = from_folder(folder, cluster.hostfile);
  for (auto& [set, path] : cluster.stage) path = from_folder(folder, path);
  return cluster;
}

/// `job` has what holds for all jobs.
CampaignJob job_of(CampaignJob job, const toml::table& table, const std::string& origin,
                   const std::filesystem::path& folder,
                   const std::vector<std::string>& cluster_names) {
  const CampaignTable values(
      table, origin, {"preset", "benchmarks", "arguments", "clusters", "nodes", "repeats", "time"});
  values.take("preset", job.preset);
  values.take("benchmarks", job.benchmarks);
  if (job.preset.empty() && job.benchmarks.empty())
    fail_at(origin, table, "a job needs a 'preset' or 'benchmarks'");
  job.preset = preset_of(folder, job.preset);
  values.take("arguments", job.arguments);
  values.take("clusters", job.clusters);
  for (const std::string& name : job.clusters)
    if (std::ranges::find(cluster_names, name) == cluster_names.end())
      values.fail("clusters", text::join(cluster_names, ", ").c_str());
  values.take_nodes(job.nodes);
  values.take_number("repeats", 1, kMaxRepeats, job.repeats);
  values.take_seconds(job.seconds);
  return job;
}

void add_option(std::vector<std::string>& words, const char* option, const std::string& value) {
  if (!value.empty()) words.insert(words.end(), {option, value});
}

void add_option(std::vector<std::string>& words, const char* option,
                const std::optional<int>& value) {
  if (value) words.insert(words.end(), {option, std::to_string(*value)});
}

std::vector<std::string> words_of(const CampaignSubmission& one, const CampaignCluster& cluster,
                                  const CampaignJob& job) {
  std::vector<std::string> words = {cluster.scheduler};
  add_option(words, "--nodes", one.nodes);
  add_option(words, "--ranks-per-node", cluster.ranks_per_node);
  add_option(words, "--gpus-per-node", cluster.gpus_per_node);
  add_option(words, "--cpus-per-rank", cluster.cpus_per_rank);
  add_option(words, "--time", one.limit);
  add_option(words, "--repeats", job.repeats);
  add_option(words, "--queue", cluster.queue);
  add_option(words, "--account", cluster.account);
  add_option(words, "--mpi", cluster.mpi);
  add_option(words, "--container", cluster.container);
  add_option(words, "--hostfile", cluster.hostfile);
  add_option(words, "--scratch", cluster.scratch);
  for (const std::string& module : cluster.modules) add_option(words, "--module", module);
  for (const auto& [set, folder] : cluster.stage)
    add_option(words, "--stage", fmt::format("{}={}", set, folder));
  if (cluster.array) words.emplace_back("--array");
  if (cluster.requeue) words.emplace_back("--requeue");
  add_option(words, "--baseline", one.baseline.string());
  add_option(words, "--output", one.output.parent_path().string());
  words.emplace_back("--");
  add_option(words, "--preset", job.preset);
  for (const auto* more : {&job.benchmarks, &job.arguments, &cluster.arguments})
    words.insert(words.end(), more->begin(), more->end());
  return words;
}

/// The same job of an earlier campaign, or the file that all are compared with.
std::filesystem::path baseline_of(const Campaign& campaign, const std::filesystem::path& below) {
  if (campaign.baseline.empty() || std::filesystem::is_regular_file(campaign.baseline))
    return campaign.baseline;
  const std::filesystem::path folder = campaign.baseline / below;
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

}  // namespace

int CampaignCluster::ranks() const {
  if (ranks_per_node) return *ranks_per_node;
  return gpus_per_node.value_or(0) > 0 ? *gpus_per_node : 2;
}

Campaign parse_campaign(std::string_view toml, const std::string& origin,
                        const std::filesystem::path& folder) {
  const toml::table document = parse_toml(toml, origin);
  const CampaignTable values(
      document, origin,
      {"description", "output", "baseline", "repeats", "time", "nodes", "clusters", "jobs"});
  Campaign campaign;
  values.take("description", campaign.description);
  std::string output = "campaign", baseline;
  values.take("output", output);
  values.take("baseline", baseline);
  campaign.output = from_folder(folder, output);
  campaign.baseline = from_folder(folder, baseline);
  if (!baseline.empty() && !std::filesystem::exists(campaign.baseline))
    values.fail("baseline", "a result file, or the output of an earlier campaign");
  std::vector<std::string> names;
  for (const auto& [name, table] : values.tables("clusters")) {
    campaign.clusters.push_back(cluster_of(name, *table, origin, folder));
    names.push_back(name);
  }
  CampaignJob all;
  values.take_nodes(all.nodes);
  values.take_number("repeats", 1, kMaxRepeats, all.repeats);
  values.take_seconds(all.seconds);
  for (const auto& [name, table] : values.tables("jobs")) {
    all.name = name;
    campaign.jobs.push_back(job_of(all, *table, origin, folder, names));
  }
  std::size_t count = 0;
  for (const CampaignJob& job : campaign.jobs) count += job.nodes.size() * campaign.clusters.size();
  if (count > kMaxJobs)
    fail_at(origin, document, fmt::format("{} jobs; allowed: up to {}", count, kMaxJobs));
  return campaign;
}

Campaign read_campaign(const std::string& file) {
  constexpr std::uintmax_t kMaxFile = 1 << 20;
  return parse_campaign(read_toml_file("FILE", file, kMaxFile), text::printable(file, 200),
                        std::filesystem::absolute(file).parent_path());
}

std::vector<CampaignSubmission> submissions_of(const Campaign& campaign) {
  std::vector<CampaignSubmission> all;
  for (const CampaignCluster& cluster : campaign.clusters) {
    for (const CampaignJob& job : campaign.jobs) {
      const bool wanted = job.clusters.empty() ||
                          std::ranges::find(job.clusters, cluster.name) != job.clusters.end();
      if (!wanted) continue;
      for (const int nodes : job.nodes) {
        if (nodes > cluster.max_nodes.value_or(std::numeric_limits<int>::max())) continue;
        const std::filesystem::path below =
            std::filesystem::path(cluster.name) / job.name / fmt::format("nodes-{}", nodes);
        CampaignSubmission one{.cluster = cluster.name,
                               .job = job.name,
                               .nodes = nodes,
                               .ranks = nodes * cluster.ranks(),
                               .repeats = job.repeats,
                               .seconds = job.seconds,
                               .output = campaign.output / below,
                               .baseline = baseline_of(campaign, below)};
        one.limit = fmt::format("{}:{:02}:{:02}", job.seconds / 3600, job.seconds / 60 % 60,
                                job.seconds % 60);
        one.node_hours = nodes * (job.seconds / 3600.0) * (cluster.array ? job.repeats : 1);
        one.words = words_of(one, cluster, job);
        all.push_back(std::move(one));
      }
    }
  }
  return all;
}

}  // namespace scalemark::cli
