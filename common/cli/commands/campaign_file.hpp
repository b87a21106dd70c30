// SPDX-License-Identifier: Apache-2.0
// A campaign: which jobs run on which clusters, described in a TOML file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::cli {

/// How jobs are submitted on a cluster: the options of jobscripts/submit.sh.
struct CampaignCluster {
  std::string name, scheduler;
  std::optional<int> ranks_per_node, gpus_per_node, cpus_per_rank, max_nodes;
  std::string queue, account, mpi, container, hostfile, scratch;
  std::vector<std::string> modules, arguments;
  std::map<std::string, std::string> stage;  ///< data set -> folder
  bool array = false, requeue = false;

  /// Ranks that submit.sh starts on a node.
  int ranks() const;
};

/// What is measured.
struct CampaignJob {
  std::string name, preset;
  std::vector<std::string> benchmarks, arguments, clusters;
  std::vector<int> nodes = {1};
  int repeats = 3, seconds = 1800;
};

struct Campaign {
  std::string description;
  std::filesystem::path output, baseline;  ///< baseline: empty = none
  std::vector<CampaignCluster> clusters;
  std::vector<CampaignJob> jobs;
};

/// From TOML text:
///   output = "results"         # OUTPUT/CLUSTER/JOB/nodes-N/run-1.h5 ..
///   baseline = "older"         # a file, or the output of an earlier campaign; left out: none
///   repeats = 3                # of all jobs that do not say otherwise; so are time and nodes
///   [clusters.NAME]
///   scheduler = "slurm"        # or pbs, lsf, flux, mpirun
///   [jobs.NAME]
///   preset = "quick"           # or benchmarks = ["micro/allreduce"]
///   nodes = [1, 2, 4]
/// jobscripts/campaign.toml has all keys. Paths are relative to `folder`. `origin` names the file
/// in messages. Throws UsageError with file and line for what does not belong there.
Campaign parse_campaign(std::string_view toml, const std::string& origin,
                        const std::filesystem::path& folder);

/// The same of a file of up to 1 MiB. Throws UsageError if it cannot be read.
Campaign read_campaign(const std::string& file);

/// One call of jobscripts/submit.sh: a job on a number of nodes of a cluster.
struct CampaignSubmission {
  std::string cluster, job;
  int nodes = 1, ranks = 1, repeats = 1, seconds = 0;
  std::string limit;      ///< the same as H:MM:SS
  double node_hours = 0;  ///< at most, if no job is started again
  std::filesystem::path output;
  std::filesystem::path baseline;  ///< empty = no comparison
  std::vector<std::string> words;  ///< arguments of submit.sh
};

/// Cluster by cluster, the jobs in the file's order, by number of nodes. Numbers of nodes above a
/// cluster's max_nodes are left out. A baseline that lacks a job's folder gives no comparison.
std::vector<CampaignSubmission> submissions_of(const Campaign& campaign);

}  // namespace scalemark::cli
