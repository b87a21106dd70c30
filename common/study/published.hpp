// SPDX-License-Identifier: Apache-2.0
// The numbers that two studies published, and the cases that repeat their experiments.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/study/measured.hpp"

namespace scalemark::study {

/// One published number, or a range of them.
struct Published {
  std::string experiment{};         ///< "imaging-precision"
  std::string source{};             ///< "Table 2"
  std::vector<std::string> gpus{};  ///< any of these; empty = not told, matches any number
  std::map<std::string, std::string> parameters{};
  std::string metric{}, unit{};
  double low = 0, high = 0;  ///< in `unit`; percentages are ratios with unit "1"
  bool at_least = false;     ///< "over 4": more than `low`
  bool operator==(const Published&) const = default;
};

/// "2094 s", "85 to 101 s", "over 4".
std::string text_of(const Published& one);
/// The measured value / the published one, or / the end of its range that is nearer; 1 within it.
double ratio(double here, const Published& one);

/// A published number and the measured values of a case that repeats its experiment.
struct PublishedBeside {
  std::string key;  ///< key of the case
  Published published;
  std::vector<double> here;  ///< of each run, in the published unit
};

/// Parses lines `experiment,source,gpus,parameters,metric,value,unit`. Parameters are name=value
/// pairs separated by blanks; gpus may be empty, or several such as "2 and 4"; a value may be
/// "85-101" or "over 4". Lines of another form are skipped.
std::vector<Published> parse_published(std::string_view csv);
/// The numbers in results/published/studies.csv, compiled into the program.
const std::vector<Published>& published_values();

/// Whether the number is of this row: it has the case's GPUs and parameters, and tells all axes
/// that the experiment varies.
bool is_of_row(const Published& one, const Experiment& experiment, const Measured& row);

/// The published numbers whose experiment `result` repeats: no setting differs from the study's.
std::vector<PublishedBeside> published_for(const CaseResult& result,
                                           const std::vector<Published>& all);

/// Adds a case to `found`, next to each published number that the case repeats.
void add_published(const CaseResult& result, const std::vector<Published>& all,
                   std::vector<PublishedBeside>& found);
/// Prints published value, measured value (median of the runs' medians) and ratio per number.
/// Prints nothing if `found` is empty.
void print_published(const std::vector<PublishedBeside>& found, std::ostream& out);

}  // namespace scalemark::study
