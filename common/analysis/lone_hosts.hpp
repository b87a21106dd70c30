// SPDX-License-Identifier: Apache-2.0
// What hosts measured by themselves says of them, each compared with the others.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "common/fleet/lone_nodes.hpp"
#include "common/result/model.hpp"

namespace scalemark::analysis {

constexpr const char *kCpu = "CPU", *kHostMemory = "host memory",
                     *kMessages = "messages within the host";

/// What one case says of a host.
struct LoneHost {
  std::string host;
  std::string component;  ///< one of the above, or "GPU", "GPU memory", ...
  std::string key;        ///< of the case
  std::size_t rank = 0;   ///< on its host
  std::string device;     ///< PCI address or UUID of the rank's GPU; empty without one
  fleet::LoneNode judged;
  std::string reason;  ///< why it has no time: failed, skipped where others measured, wrong data
};

/// Gathers what hosts measured by themselves: all cases of runs on one host, and those of other
/// runs whose ranks work independently (fact `rank_local`).
class LoneHosts {
 public:
  void add(const Run& run, const CaseResult& result);

  /// Hosts and ranks with at least one case, in the order of keys. A rank is compared with the
  /// ranks of the same number on all hosts with the same models of CPU and GPU; of several runs on
  /// a host the fastest counts. A case that failed or was skipped makes a host bad if more hosts
  /// measured it than not. Wrong data makes it bad in any case.
  std::vector<LoneHost> judged() const;

 private:
  struct Measured {
    double seconds = 0;
    std::string component, device;
  };
  struct Missing {
    std::string component, reason;
    bool is_wrong = false;
  };
  using Group = std::tuple<std::string, std::size_t, std::string>;  ///< key, rank, models
  void add_times(const Run& run, const std::vector<RankInfo>& ranks, const CaseResult& result);

  std::map<Group, std::map<std::string, Measured>> times_;         ///< by host
  std::map<std::string, std::map<std::string, Missing>> missing_;  ///< key -> host
};

}  // namespace scalemark::analysis
