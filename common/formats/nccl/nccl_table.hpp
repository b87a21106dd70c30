// SPDX-License-Identifier: Apache-2.0
// A table of nccl-tests: one row per size, with an out-of-place and an in-place half.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "common/formats/nccl/nccl_tests.hpp"
#include "common/result/model.hpp"

namespace scalemark::formats {

/// The test that measures the same as the case; null if there is none.
const NcclTest* nccl_test_of(const CaseResult& result);

/// Half of a row. Unknown numbers are NaN.
struct NcclMeasure {
  double seconds = std::numeric_limits<double>::quiet_NaN();
  double algbw = std::numeric_limits<double>::quiet_NaN();  ///< By/s
  double busbw = std::numeric_limits<double>::quiet_NaN();  ///< By/s
  std::optional<std::uint64_t> wrong;                       ///< elements; empty = not checked
};

/// Position of a case in its table, and its values.
struct NcclPoint {
  std::int64_t size = 0;   ///< bytes, as nccl-tests define the size
  std::int64_t count = 0;  ///< elements
  bool in_place = false;
  NcclMeasure measure;
  std::uint64_t iterations = 0;
};

/// The point of a finished case. Time is the mean over ranks of each rank's mean, as nccl-tests
/// print by default. algbw is size / time; busbw uses the factor of the case's own rates. Empty if
/// the format cannot show the case.
std::optional<NcclPoint> nccl_point(const NcclTest& test, const CaseResult& result);

/// Why a table cannot show the values: readers expect a number in each cell. Empty if it can.
std::string why_no_numbers(const NcclMeasure& measure);

class NcclTable {
 public:
  /// A table for all cases that differ from `first` only in size and in_place.
  NcclTable(const NcclTest& test, const CaseResult& first);

  /// False if another case already has this place.
  bool add(const NcclPoint& point);
  /// Counts a case that has no row because its data were wrong.
  void add_wrong() { ++wrong_; }
  bool empty() const { return rows_.empty(); }
  /// Prints the table from title to last line; `ranks` are those of the run.
  void print(std::ostream& out, const std::vector<RankInfo>& ranks) const;

 private:
  struct Row {
    std::int64_t size = 0, count = 0;
    std::optional<NcclMeasure> out_of_place, in_place;
  };
  void print_title(std::ostream& out) const;
  void print_devices(std::ostream& out, const std::vector<RankInfo>& ranks) const;
  /// The number of a rank's group, as NCCL_TESTS_SPLIT counts them (axes groups and grouping).
  std::int64_t group_of(std::int64_t rank) const;
  void print_footer(std::ostream& out) const;

  const NcclTest* test_;
  std::string parameters_, type_, redop_;
  std::int64_t root_ = -1;
  std::int64_t ranks_ = 0;  ///< 0 = unknown
  std::int64_t groups_ = 1, aggregate_ = 1, unalign_ = 0;
  bool strided_ = false;  ///< every nth rank is in a group, instead of neighbours
  bool graphs_ = false, on_device_ = false;
  std::vector<Row> rows_;
  std::uint64_t iterations_ = 0;  ///< the largest number over all rows
  int wrong_ = 0;
};

}  // namespace scalemark::formats
