// SPDX-License-Identifier: Apache-2.0
// The hosts of a cluster with one verdict each, from what they measured by themselves and in pairs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/analysis/full_scale.hpp"
#include "common/analysis/host_baseline.hpp"
#include "common/analysis/host_links.hpp"
#include "common/analysis/host_sensors.hpp"
#include "common/analysis/lone_hosts.hpp"
#include "common/fleet/node_verdict.hpp"
#include "common/fleet/switches.hpp"
#include "common/result/model.hpp"

namespace scalemark::analysis {

/// One thing that is said of a host.
struct HostEvidence {
  fleet::NodeVerdict verdict = fleet::NodeVerdict::ok;
  std::string component;  ///< "network", "CPU", "GPU memory", ...; empty: nothing was measured
  double factor = 1;      ///< its time / median of all, or of its past
  std::string reason;     ///< "1.52 times as long as the median, 5 pairs"
  std::string key;        ///< of the case
  std::size_t rank = 0;   ///< of the screening, or on its host
  std::string device;     ///< of the rank; empty without a GPU
  std::size_t pairs = 0;  ///< of a screening
  std::optional<std::size_t> rail = {};  ///< where rails were screened apart
  std::size_t past = 0;           ///< the factor is relative to so many earlier runs of this host
  std::size_t baseline_runs = 0;  ///< the factor is relative to a baseline of so many runs

  /// Whether it is of one rank. A baseline is compared with all ranks of a host.
  bool has_rank() const { return !key.empty() && baseline_runs == 0; }
};

struct HostVerdict {
  std::string host;
  std::vector<HostEvidence> evidence;  ///< the one that decides first; never empty
  fleet::NodeVerdict verdict() const { return evidence.front().verdict; }
};

/// A slow link of two hosts, or of two switches.
struct FleetLink {
  std::string one, other;
  double factor = 1;
  std::size_t measurements = 0;  ///< that were slow; of switches: pairs of hosts between them
  std::string key;               ///< of the case
};

struct FleetTable {
  std::vector<HostVerdict> hosts;  ///< the worst first
  std::vector<FleetLink> links, uplinks;
  std::vector<FleetChange> changes;  ///< of all hosts, against earlier runs
  std::vector<FleetPeak> peaks;
  std::vector<FullScale> scales;  ///< collectives of all hosts beside those of parts
  /// Groups of hosts that an operation fails with, though it ends well with each half of them.
  std::vector<std::vector<std::string>> only_together;
  std::size_t screenings = 0, lone_cases = 0;
  std::size_t baseline_cases = 0;  ///< of the baseline, that some host measured
  std::size_t count(fleet::NodeVerdict verdict) const;
  /// Whether a host is bad, or a slow link or a group of hosts that fails is named.
  bool has_fault() const;
};

struct ScreenedFleet;

/// Gathers the cases of a fleet's files.
class FleetCases {
 public:
  /// What is known of a fleet besides its files; each may be empty.
  struct Known {
    fleet::Switches switches;          ///< above each host: slow links between them
    std::vector<std::string> hosts;    ///< untested where no file has them
    std::vector<std::string> failing;  ///< operations with these fail, or do not end: bad
    std::vector<std::vector<std::string>> only_together;  ///< FleetTable::only_together
    Baseline baseline;                                    ///< of what hosts measure by themselves
  };
  explicit FleetCases(Known known)
      : known_(std::move(known)), baseline_(std::move(known_.baseline)) {}

  /// Takes a case if it is a screening of pairs, a collective of several hosts, or if a host
  /// measured it by itself. Throws InputError for a host without a switch.
  void add(const Run& run, const CaseResult& result);

  /// Takes a case of an earlier run if a host measured it by itself.
  void add_past(const Run& run, const CaseResult& result) { alone_.add_past(run, result); }

  /// The worst evidence decides, and sensors are evidence, too. A host that is bad by itself is bad
  /// for that, not for its network: a busy processor delays messages, too. A host that one kind of
  /// case has, and the other has not, is untested in that. Of several known hosts each should be in
  /// a screening.
  FleetTable table() const;

 private:
  void add_ranks(const Run& run, const CaseResult& result, const ScreenedFleet& found);
  void add_links(const std::string& key, const ScreenedFleet& found);
  void add_uplinks(const std::string& key, const ScreenedFleet& found);

  Known known_;
  LoneHosts alone_;
  HostBaseline baseline_;
  ScaleRows scale_;
  HostSensors sensors_;
  HostLinks host_links_;
  std::map<std::string, std::vector<HostEvidence>> network_;  ///< by host
  std::vector<FleetLink> links_, uplinks_;
  std::size_t screenings_ = 0;
};

}  // namespace scalemark::analysis
