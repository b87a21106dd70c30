// SPDX-License-Identifier: Apache-2.0
// What a comparison says beside its rows: what moved everything, means over rows, slow ranks,
// changed tails, and what may be the cause.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/compare/environment.hpp"
#include "common/result/model.hpp"

namespace scalemark::compare {

/// Something to look at. It is shown and gates nothing.
struct Finding {
  std::string kind;     ///< straggler, tail, modes
  std::string side;     ///< A, B, or both
  std::string subject;  ///< a rank with its node and GPU, or a row's key
  std::string text;     ///< one sentence for people
  std::map<std::string, double> numbers;
};

/// What all rows have in common: the change of the cost (plus is worse for B) of the middle row,
/// with the 95 % interval that the runs give. NaN without rows; an interval needs repeated runs.
struct WholeRunShift {
  double change = 0, low = 0, high = 0;
  double p = 0;          ///< of no shift at all
  std::size_t rows = 0;  ///< rows that it is the middle of
  bool removed = false;  ///< taken out of the rows
};

/// The geometric mean of B / A - 1 over the matched rows of one metric, with the 95 % interval from
/// the means of each run. As in a row, the change is of the metric itself.
struct GeometricMean {
  std::string metric, unit;
  Better better = Better::none;
  std::size_t rows = 0;
  double change = 0, low = 0, high = 0;
};

/// A difference between the sides that may explain what changed, most likely ones first.
struct LikelyCause {
  std::string kind;  ///< environment or telemetry
  std::string fact;  ///< name of the fact or the measured quantity
  std::string a, b;  ///< its values
  FactClass fact_class = FactClass::suspect;
  bool separates = false;  ///< no value occurs on both sides
  std::size_t rows = 0;    ///< telemetry: rows that got worse and show it
  std::string text;        ///< one sentence for people
  /// Environment: how the fact goes with the time within one side; often empty.
  std::string within;
};

/// A further number of a row: shown, never judged.
struct SecondaryMetric {
  std::string metric, unit;
  Better better = Better::none;
  double a = 0, b = 0;  ///< geometric mean over the runs
  double change = 0;    ///< B / A - 1
};

}  // namespace scalemark::compare
