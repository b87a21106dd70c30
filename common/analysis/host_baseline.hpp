// SPDX-License-Identifier: Apache-2.0
// What hosts measured by themselves, compared with a baseline of accepted runs.
#pragma once

#include <cstddef>
#include <map>
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
  std::map<std::string, BaselineRow> rows;  ///< by the key of the case
  std::set<std::string> cpu_models, gpu_models;
};

class HostBaseline {
 public:
  explicit HostBaseline(Baseline baseline) : baseline_(std::move(baseline)) {}

  /// Takes a case that one host measured by itself, if the baseline has it; of several runs on a
  /// host the fastest counts. Throws InputError for a host whose models of CPU or GPU no run of the
  /// baseline had.
  void add(const Run& run, const CaseResult& result);

  /// Hosts and cases, in the order of keys, judged by fleet::judge_against().
  std::vector<LoneHost> judged() const;

 private:
  struct Measured {
    double factor = 1;  ///< time / time of the baseline
    std::string component;
  };

  void expect_models(const Run& run, const RankInfo& rank) const;

  Baseline baseline_;
  std::map<std::string, std::map<std::string, Measured>> factors_;  ///< key -> host
};

}  // namespace scalemark::analysis
