// SPDX-License-Identifier: Apache-2.0
// What the two studies published, beside what was measured here.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A published number.
struct Published {
  std::string experiment;  ///< "imaging-precision"
  std::string source;      ///< "Table 2"
  std::int64_t gpus = 0;   ///< ranks, one a GPU; 0: not stated, so any number
  std::map<std::string, std::string> parameters;
  std::string metric, unit;
  double value = 0;  ///< in `unit`; percentages as ratios, unit "1"
  bool operator==(const Published&) const = default;
};

/// A published number and what runs have measured beside it.
struct PublishedBeside {
  std::string key;  ///< of the case
  Published published;
  std::vector<double> here;  ///< the median of each run, in the published unit
};

/// Lines `experiment,source,gpus,parameters,metric,value,unit` below a header; parameters are
/// name=value pairs separated by blanks, gpus may be empty. Rows in another form (a sentence as
/// parameters) are left out.
std::vector<Published> parse_published(std::string_view csv);
/// results/published/studies.csv, built in.
const std::vector<Published>& published_values();

/// Those that `result` repeats: same workload, ranks and parameters, on the full data set, which
/// each rank has in its own memory. Scenario a is what a case without that axis means.
std::vector<Published> published_for(const CaseResult& result, const std::vector<Published>& all);

/// Puts the medians of a case beside each number that it repeats, and beside those of other runs.
void add_published(const CaseResult& result, const std::vector<Published>& all,
                   std::vector<PublishedBeside>& found);
/// Published, measured (the median of the runs' medians), ratio. Nothing when none matches.
void print_published(const std::vector<PublishedBeside>& found, std::ostream& out);

}  // namespace scalemark::analysis
