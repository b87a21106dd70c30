// SPDX-License-Identifier: Apache-2.0
// Gauges as OpenMetrics text.
// https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
#pragma once

#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalemark::formats {

/// Names and values of labels, in the order in which they are printed.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// Letters, digits and underscores, not beginning with a digit: other characters become '_'.
std::string openmetrics_name(std::string_view text);

/// Gathers gauges, since those of a family must follow each other.
class MetricFamilies {
 public:
  /// Prints a family even if it gets no gauge; for its parameters see add().
  void declare(const std::string& name, const std::string& unit, const std::string& help);

  /// Adds a gauge to family `name`, which ends with `unit` if there is one. `help` is a sentence
  /// without its full stop. A value that is not finite is left out. Returns false, and adds
  /// nothing, if the family has these labels already.
  bool add(const std::string& name, const std::string& unit, const std::string& help,
           const MetricLabels& labels, double value);

  /// All families by name, then the line that ends the text.
  void print(std::ostream& out) const;

  /// {benchmark="micro/allreduce",bytes="8"}; empty without labels.
  static std::string in_braces(const MetricLabels& labels);

 private:
  struct Family {
    std::string unit, help;
    std::vector<std::string> lines;
    std::set<std::string> labels;  ///< of all lines
  };
  std::map<std::string, Family> families_;
};

}  // namespace scalemark::formats
