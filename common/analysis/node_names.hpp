// SPDX-License-Identifier: Apache-2.0
// Hosts by the names that a list has, which may not be those that they give themselves.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// Files name hosts as gethostname() does, often with the domain. Slurm's commands and topology
/// need its NodeNames.
class NodeNames {
 public:
  explicit NodeNames(std::span<const std::string> listed);

  bool empty() const { return listed_.empty(); }

  /// `host` if it is listed, else the only listed name that is the same without domains; else
  /// `host`.
  std::string of(const std::string& host) const;

  /// Renames the hosts of ranks and facts.
  void rename(Run& run) const;
  /// Renames those of tables.
  void rename(CaseResult& result) const;

 private:
  std::set<std::string> listed_;
  std::map<std::string, std::string> by_short_;  ///< an empty name: several are the same
};

}  // namespace scalemark::analysis
