// SPDX-License-Identifier: Apache-2.0
// Collects the data of analyses over several cases or runs while results are read.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/analysis/layout_ratio.hpp"
#include "common/analysis/message_costs.hpp"
#include "common/analysis/product_share.hpp"
#include "common/analysis/scaling.hpp"
#include "common/print/printer.hpp"
#include "common/result/sink.hpp"
#include "common/study/published.hpp"

namespace scalemark::print {

/// Keeps a few numbers per case and no samples, then computes analyses over all cases.
class Joined {
 public:
  /// Starts another run; cases added from here on belong to it. Not needed for a single run.
  void begin_run();
  /// Extracts the numbers of a case.
  void add(const CaseResult& result);
  /// Removes the cases whose key is not wanted.
  void keep(const std::function<bool(const std::string& key)>& wanted);
  /// Prints message costs, scaling and published values below the rows. Several runs are combined
  /// by their medians. The table printer prints layouts and shares of products itself.
  void print(std::ostream& out) const;
  /// Additional JSON fields by case key: `scaling`, `message_cost`, and for a single run
  /// `layout_ratio` and `product_share`.
  std::map<std::string, nlohmann::ordered_json> fields() const;

 private:
  std::vector<std::vector<analysis::SweepCase>> sizes_;      ///< by run
  std::vector<std::vector<analysis::ScalingCase>> scaling_;  ///< by run
  std::vector<analysis::LayoutCase> layouts_;
  std::vector<analysis::ProductCase> products_;
  std::vector<study::PublishedBeside> published_;
};

/// A printer for `json`, or `jsonl` with `lines`, whose objects also have the fields of Joined. It
/// prints when the run ends, since the fields need all cases.
std::shared_ptr<ResultSink> make_joined_json_printer(std::ostream& out, const PrintOptions& options,
                                                     bool lines);

}  // namespace scalemark::print
