// SPDX-License-Identifier: Apache-2.0
// What hosts measured by themselves says of them, each compared with the others and with its past.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/fleet/lone_nodes.hpp"
#include "common/result/model.hpp"

namespace scalemark::analysis {

constexpr const char *kCpu = "CPU", *kHostMemory = "host memory",
                     *kMessages = "messages within the host", *kGpuCopies = "copies between GPUs";

/// What one case says of a host.
struct LoneHost {
  std::string host;
  std::string component;  ///< one of the above, or "GPU", "GPU memory", ...
  std::string key;        ///< of the case
  std::size_t rank = 0;   ///< on its host
  std::string device;     ///< PCI address or UUID of the rank's GPU; empty without one
  fleet::LoneNode judged;
  /// How many earlier times of this host the factor is relative to, and to how much these changed
  /// on all hosts. 0: it is relative to the other hosts.
  std::size_t past = 0;
  std::string reason;     ///< why it has no time: failed, skipped where others measured, wrong data
  bool at_times = false;  ///< slow, but its fastest tenth of the samples is as fast as others'
  /// Runs of the baseline that the factor is relative to. 0: it is not relative to one.
  std::size_t baseline_runs = 0;
};

/// The part of a host that a case measures.
std::string component_of(const CaseResult& result);

/// Why a case says nothing of how fast its host is: "failed: ...", "3 of 10 values are wrong".
/// Nothing for a good one.
std::optional<std::string> problem_of(const CaseResult& result);

/// How a case differs from earlier runs on all hosts.
struct FleetChange {
  std::string key, component;
  double factor = 1;  ///< median over hosts and ranks of a time / median of its earlier ones
  std::size_t hosts = 0;
};

/// What hosts reach of a peak (metric peak_fraction): all of them may be slow alike.
struct FleetPeak {
  std::string key, component;
  double fraction = 0;  ///< median over hosts
  double least = 0;     ///< of all hosts
  std::size_t hosts = 0;
};

/// Gathers what hosts measured by themselves: all cases of runs on one host, and those of other
/// runs whose ranks work independently (fact `rank_local`).
class LoneHosts {
 public:
  void add(const Run& run, const CaseResult& result);

  /// The same of an earlier run.
  void add_past(const Run& run, const CaseResult& result);

  /// Hosts and ranks with at least one case, in the order of keys. A rank is compared with the
  /// ranks of the same number on all hosts with the same models of CPU and GPU; of several runs on
  /// a host the fastest counts. A rank that is less than twice as slow, and not always, is suspect
  /// rather than bad: another process or virtual machine may have disturbed it. A case that failed
  /// or was skipped makes a host bad if more hosts measured it than not. Wrong data makes it bad in
  /// any case.
  ///
  /// Where at least three hosts have earlier times of a case, the quotients of their times now and
  /// the medians of the earlier ones are judged in the same way. So a host may have become slower
  /// than the others did.
  std::vector<LoneHost> judged() const;

  /// Cases that take at least 5 % more or less time than earlier on three hosts or more, as a
  /// median over the hosts: not the fault of one. In the order of keys.
  std::vector<FleetChange> changes() const;

  /// Of cases with a peak that hosts measured alone. Of several runs on a host the best counts. In
  /// the order of keys.
  std::vector<FleetPeak> peaks() const;

 private:
  struct Measured {
    double seconds = 0;
    double fast = 0;  ///< tenth percentile of its samples
    std::string component, device;
  };
  struct Missing {
    std::string component, reason;
    bool is_wrong = false;
  };
  using Group = std::tuple<std::string, std::size_t, std::string>;  ///< key, rank, models
  struct HostTime {
    Group group;
    std::string host;
    Measured measured;
  };
  /// A time and its relation to the past of its host.
  struct Quotient {
    std::string host;
    const Measured* measured;
    double factor;
    std::size_t past;
  };
  static std::vector<HostTime> times_of(const Run& run, const CaseResult& result);
  /// Of the hosts of a group that have a past.
  std::vector<Quotient> quotients(const Group& group) const;
  void judge_past(std::vector<LoneHost>& all) const;

  std::map<Group, std::map<std::string, Measured>> times_;            ///< by host
  std::map<Group, std::map<std::string, std::vector<double>>> past_;  ///< seconds by host
  std::map<std::string, std::map<std::string, Missing>> missing_;     ///< key -> host
  /// Component and, by host, parts of the peak.
  std::map<std::string, std::pair<std::string, std::map<std::string, double>>> fractions_;
};

}  // namespace scalemark::analysis
