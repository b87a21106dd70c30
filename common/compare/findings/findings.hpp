// SPDX-License-Identifier: Apache-2.0
// Results of a comparison besides its rows: whole-run shift, geometric means, slow ranks, changed
// tails and modes, likely causes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/compare/environment.hpp"
#include "common/result/model.hpp"

namespace scalemark::compare {

/// An observation that does not affect the exit code.
struct Finding {
  std::string kind;     ///< straggler, tail, modes
  std::string side;     ///< A, B, or both
  std::string subject;  ///< rank with host and GPU, or key of a row
  std::string text;     ///< one sentence for the user
  std::map<std::string, double> numbers;
};

/// The change that all rows have in common: median over rows of the cost change (positive = B is
/// worse) and its 95 % interval. NaN without rows; the interval needs repeated runs.
struct WholeRunShift {
  double change = 0, low = 0, high = 0;
  double p = 0;          ///< p of "no shift"
  std::size_t rows = 0;  ///< number of rows in the median
  bool removed = false;  ///< subtracted from the rows (--relative-to-run)
};

/// The geometric mean of B / A - 1 over all matched rows of one metric. Its 95 % interval uses one
/// mean per run. The change is that of the metric itself.
struct GeometricMean {
  std::string metric, unit;
  Better better = Better::none;
  std::size_t rows = 0;
  double change = 0, low = 0, high = 0;
};

/// A difference between the sides that may explain a change.
struct LikelyCause {
  std::string kind;  ///< environment or telemetry
  std::string fact;  ///< name of the fact or the telemetry quantity
  std::string a, b;  ///< values on each side
  FactClass fact_class = FactClass::suspect;
  bool separates = false;  ///< no value occurs on both sides
  std::size_t rows = 0;    ///< telemetry only: number of worse rows that show the difference
  std::string text;        ///< one sentence for the user
  /// Environment only: the fact's effect on the cost within one side; often empty.
  std::string within;
};

/// A metric of a row besides the primary one; shown, not tested.
struct SecondaryMetric {
  std::string metric, unit;
  Better better = Better::none;
  double a = 0, b = 0;  ///< geometric mean over the runs
  double change = 0;    ///< B / A - 1
};

}  // namespace scalemark::compare
