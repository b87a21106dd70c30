// SPDX-License-Identifier: Apache-2.0
// Compares measured training times with the numbers published in two studies.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// One published number.
struct Published {
  std::string experiment;  ///< "imaging-precision"
  std::string source;      ///< "Table 2"
  std::int64_t gpus = 0;   ///< ranks, one per GPU; 0 = not stated, matches any number
  std::map<std::string, std::string> parameters;
  std::string metric, unit;
  double value = 0;  ///< in `unit`; percentages are stored as ratios with unit "1"
  bool operator==(const Published&) const = default;
};

/// A published number and the measured values of a case that repeats its experiment.
struct PublishedBeside {
  std::string key;  ///< key of the case
  Published published;
  std::vector<double> here;  ///< median of each run, in the published unit
};

/// Parses lines `experiment,source,gpus,parameters,metric,value,unit`. Parameters are name=value
/// pairs separated by blanks; gpus may be empty. Lines of another form (header, a sentence as
/// parameters) are skipped.
std::vector<Published> parse_published(std::string_view csv);
/// The numbers in results/published/studies.csv, compiled into the program.
const std::vector<Published>& published_values();

/// The published numbers whose experiment `result` repeats: same workload, ranks, parameters and
/// metric, on the full data set. A case without axis `scenario` counts as scenario a.
std::vector<Published> published_for(const CaseResult& result, const std::vector<Published>& all);

/// Adds the medians of a case to `found`, next to each published number that the case repeats.
void add_published(const CaseResult& result, const std::vector<Published>& all,
                   std::vector<PublishedBeside>& found);
/// Prints published value, measured value (median of the runs' medians) and ratio per number.
/// Prints nothing if `found` is empty.
void print_published(const std::vector<PublishedBeside>& found, std::ostream& out);

}  // namespace scalemark::analysis
