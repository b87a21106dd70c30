// SPDX-License-Identifier: Apache-2.0
// Whether a launch may go on with the run of a parts folder, and what is stored where it moved.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::store {

/// What --resume was given.
struct ResumeTerms {
  std::filesystem::path parts, output;
  bool other_hosts = false;  ///< --resume-hosts: the ranks may run on other hosts
};

/// Throws UsageError where the launch `given` is not of the run `stored`: ranks, nodes or devices,
/// build, plan and options, hosts. The message has both values of each, and what to do. What one of
/// the two does not say (a file of an earlier version) counts as equal, with a warning where that
/// is the shape.
void check_same_run(const Run& stored, const Run& given, const ResumeTerms& terms);

/// The hosts of ranks, sorted.
std::vector<std::string> hosts_of(const std::vector<RankInfo>& ranks);

/// Fact of a case that ran on other hosts than /topology/ranks has: their names, joined by blanks.
constexpr const char* kHostsFact = "hosts";

/// Gives a case the fact where `now` has other hosts than `stored`, and the table kPlacesTable
/// where it has other hosts, GPUs or CPUs.
void note_places(CaseResult& result, const std::vector<RankInfo>& stored,
                 const std::vector<RankInfo>& now);

/// The hosts of a stored case, joined by blanks: its fact, else those of the run.
std::string hosts_of_case(const CaseResult& result, const std::vector<RankInfo>& stored);

/// Adds the environment and the kinds of machine of hosts that `stored` does not know.
void add_hosts(Run& stored, const Run& given);

}  // namespace scalemark::store
