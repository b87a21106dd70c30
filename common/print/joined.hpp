// SPDX-License-Identifier: Apache-2.0
// What several cases of a run, or of several runs, say together, gathered while they are read.
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
#include "common/analysis/published.hpp"
#include "common/analysis/scaling.hpp"
#include "common/print/printer.hpp"
#include "common/result/sink.hpp"

namespace scalemark::print {

/// Keeps of each case a few numbers, and no samples.
class Joined {
 public:
  /// The cases from here on are those of another run. Needed where there are several.
  void begin_run();
  void add(const CaseResult& result);
  /// Forgets the cases whose key is not wanted.
  void keep(const std::function<bool(const std::string& key)>& wanted);
  /// The tables below the rows, without that of layouts, which the table's printer has. Of several
  /// runs by their medians.
  void print(std::ostream& out) const;
  /// By key, what stands in a case's object besides: `scaling`, `message_cost`, and of a single run
  /// `layout_ratio`.
  std::map<std::string, nlohmann::ordered_json> fields() const;

 private:
  std::vector<std::vector<analysis::SweepCase>> sizes_;      ///< by run
  std::vector<std::vector<analysis::ScalingCase>> scaling_;  ///< by run
  std::vector<analysis::LayoutCase> layouts_;
  std::vector<analysis::PublishedBeside> published_;
};

/// A printer of `json` or `jsonl` (`lines`) whose objects have the fields of Joined. It prints at
/// the end, when all cases are known.
std::shared_ptr<ResultSink> make_joined_json_printer(std::ostream& out, const PrintOptions& options,
                                                     bool lines);

}  // namespace scalemark::print
