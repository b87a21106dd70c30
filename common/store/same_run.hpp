// SPDX-License-Identifier: Apache-2.0
// Checks whether --resume continues the same run, and stores where cases ran if that changed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::store {

/// What the user passed with --resume.
struct ResumeTerms {
  std::filesystem::path parts, output;
  bool other_hosts = false;  ///< --resume-hosts: allow other hosts
};

/// Throws UsageError unless the launch `given` belongs to the run `stored`: same ranks, nodes,
/// devices, build, plan, options and hosts. The message shows both values of each difference and
/// what to do. A value that one side lacks (a file of an earlier version) counts as equal; for
/// ranks, nodes and devices that gives a warning.
void check_same_run(const Run& stored, const Run& given, const ResumeTerms& terms);

/// The hosts of the ranks, sorted.
std::vector<std::string> hosts_of(const std::vector<RankInfo>& ranks);

/// Fact of a case that ran on other hosts than the run's: their names, separated by blanks.
constexpr const char* kHostsFact = "hosts";

/// Adds the fact kHostsFact to a case if `now` has other hosts than `stored`, and the table
/// kPlacesTable if hosts, GPUs or CPUs differ.
void note_places(CaseResult& result, const std::vector<RankInfo>& stored,
                 const std::vector<RankInfo>& now);

/// The hosts of a stored case, separated by blanks: its fact kHostsFact, or the hosts of the run.
std::string hosts_of_case(const CaseResult& result, const std::vector<RankInfo>& stored);

/// Adds environment and machine type of hosts that `stored` does not contain.
void add_hosts(Run& stored, const Run& given);

}  // namespace scalemark::store
