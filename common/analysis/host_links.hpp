// SPDX-License-Identifier: Apache-2.0
// Slow copies between the GPUs of a host, compared with those of the other hosts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/analysis/slow_link.hpp"
#include "common/fleet/node_verdict.hpp"
#include "common/result/model.hpp"

namespace scalemark::analysis {

struct LinkFinding {
  std::string host;
  SlowLink link;
  fleet::NodeVerdict verdict;
};

/// Gathers slow_link() of cases that hosts measured by themselves.
class HostLinks {
 public:
  /// Counts a case if all its ranks are on one host and it has times of pairs of GPUs. Of several
  /// runs on a host that with the least slow link counts.
  void add(const Run& run, const CaseResult& result);

  /// In the order of keys and hosts. Bad where the same pair is slow on at most half of three hosts
  /// or more. On fewer hosts it is suspect: the machine may be built so. On more than half of them
  /// it is left out.
  std::vector<LinkFinding> findings() const;

 private:
  using Links = std::map<std::string, std::optional<SlowLink>>;  ///< by host
  std::map<std::string, Links> links_;                           ///< by key
};

}  // namespace scalemark::analysis
