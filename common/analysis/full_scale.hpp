// SPDX-License-Identifier: Apache-2.0
// A collective of all nodes of a cluster, beside the same of parts of them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/fleet/lone_nodes.hpp"
#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A part whose collective was compared with those of other parts of as many hosts.
struct ScalePart {
  std::vector<std::string> hosts;
  fleet::LoneNode judged;
};

/// What the largest collective takes, and what smaller ones predict of it.
struct FullScale {
  std::string key;  ///< of the cases, without `ranks`
  int ranks = 0;
  std::size_t hosts = 0;
  double seconds = 0;
  double predicted = 0, high = 0;  ///< s; `high`: the upper end. 0: fewer than two sizes of parts
  bool is_tested = false;          ///< whether three sizes of parts or more predict each other
  std::vector<ScalePart> slow_parts;  ///< suspect or bad
  double factor() const { return predicted > 0 ? seconds / predicted : 1; }
  /// Whether it takes a quarter longer than the upper end of what is predicted; twice as long, if
  /// that is untested.
  bool is_slow() const { return predicted > 0 && seconds > (is_tested ? 1.25 : 2) * high; }
};

/// Gathers collectives of several hosts.
class ScaleRows {
 public:
  /// Takes a case if it is a collective of several hosts that predict::CollectivePredictor knows.
  bool add(const Run& run, const CaseResult& result);

  /// For each key that has parts of several hosts besides the most ranks, which are on the same
  /// hosts in all runs: the fastest of these beside what the best form predicts from the medians of
  /// the parts, 90 % of whose errors are within the upper end. Parts are judged as hosts are
  /// (fleet::judge_alone()).
  std::vector<FullScale> scales() const;

 private:
  struct Part {
    double seconds = 0;
    std::vector<std::string> hosts;
  };
  struct Collective {
    std::string name;  ///< "allreduce"
    double bytes = 0;
    std::map<int, std::vector<Part>> by_ranks;
  };
  static FullScale scale_of(const std::string& key, const Collective& one);
  std::map<std::string, Collective> by_key_;
};

}  // namespace scalemark::analysis
