// SPDX-License-Identifier: Apache-2.0
// What hosts measured by themselves, compared with a baseline of accepted runs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/analysis/lone_hosts.hpp"
#include "common/result/model.hpp"

namespace scalemark::analysis {

/// What the runs of a baseline came to in one case.
struct BaselineRow {
  std::string metric;
  double value = 0;  ///< geometric mean over the runs, in the base unit
  Better better = Better::lower;
  double variance = 0;  ///< of ln(value) between the runs
  std::size_t runs = 0;
};

struct Baseline {
  std::map<std::string, BaselineRow> rows;       ///< by the key of the case
  std::set<std::string> cpu_models, gpu_models;  ///< facts of the hosts of its runs
};

class HostBaseline {
 public:
  explicit HostBaseline(Baseline baseline) : baseline_(std::move(baseline)) {}

  /// Takes a case of one host alone. Throws Error as median_of().
  void add(const Run& run, const CaseResult& result);

  /// Cases of the baseline that some host measured, or tried to.
  std::size_t cases() const { return outcomes_.size(); }

  /// Hosts and cases of the baseline, in the order of keys. Times are judged by
  /// fleet::judge_against(); of several runs on a host the fastest counts. A host is bad in a case
  /// that it has no time of: that failed, was skipped, had wrong data, or is in none of its files.
  /// A host is untested if it has no case of the baseline, or no run of that had its models of CPU
  /// and GPU. Nothing if that holds for all hosts.
  std::vector<LoneHost> judged() const;

 private:
  struct Outcome {
    std::optional<double> factor;    ///< time / time of the baseline
    std::string component, problem;  ///< the latter says why there is no factor
  };

  bool is_foreign(const Run& run, const std::string& host) const;
  /// Also where the host has none.
  Outcome outcome_of(const std::string& key, const std::string& host) const;
  /// Hosts with a case of a baseline of their kind.
  std::set<std::string> compared() const;

  Baseline baseline_;
  std::set<std::string> hosts_, foreign_;
  std::map<std::string, std::map<std::string, Outcome>> outcomes_;  ///< key -> host
};

}  // namespace scalemark::analysis
