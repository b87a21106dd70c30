// SPDX-License-Identifier: Apache-2.0
// What the result file of a run says of the program, its start and its job.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/commands/run_options.hpp"
#include "common/core/plan.hpp"

namespace scalemark::cli {

/// The words of a command line, with blanks between them.
std::string join_command_line(int argc, char** argv);
/// This host's name; "unknown" if the system does not say it.
std::string host_label();
/// A random UUID, version 4 of RFC 4122.
std::string new_uuid();
/// Version, revision and settings of this build.
std::map<std::string, std::string> producer_facts();
/// Ids of the job, from the variables that Slurm, PBS, LSF and Flux set; those that are set.
std::map<std::string, std::string> scheduler_facts();
/// Name of the set of runs that this run belongs to, and its number in the set, from the job
/// scripts (SCALEMARK_CAMPAIGN, SCALEMARK_REPEAT).
/// Throws UsageError for an invalid number and for a name with more than 64 characters or others
/// than letters, digits and -_.
std::pair<std::string, int> campaign_facts();
/// The resolved plan, settings and sampling policies as text.
std::string describe_config(const std::vector<PlannedCase>& plan, const RunOptions& options);

}  // namespace scalemark::cli
