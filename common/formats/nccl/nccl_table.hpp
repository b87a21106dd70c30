// SPDX-License-Identifier: Apache-2.0
// A table of nccl-tests: rows of sizes, each out of place and in place.
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

/// The test that measures what the case does; null if there is none.
const NcclTest* nccl_test_of(const CaseResult& result);

/// One half of a row. Numbers that are not known are NaN.
struct NcclMeasure {
  double seconds = std::numeric_limits<double>::quiet_NaN();
  double algbw = std::numeric_limits<double>::quiet_NaN();  ///< By/s
  double busbw = std::numeric_limits<double>::quiet_NaN();  ///< By/s
  std::optional<std::uint64_t> wrong;                       ///< elements; nothing = not checked
};

/// Where a case stands in its table, and what stands there.
struct NcclPoint {
  std::int64_t size = 0;   ///< bytes, as nccl-tests count them
  std::int64_t count = 0;  ///< elements
  bool in_place = false;
  NcclMeasure measure;
  std::uint64_t iterations = 0;
};

/// The point of a finished case: time is the mean over ranks of each rank's mean, as nccl-tests
/// print it by default, algbw is size / time, busbw has the factor of the case's own rates. Nothing
/// where the format has no words for it.
std::optional<NcclPoint> nccl_point(const NcclTest& test, const CaseResult& result);

/// Why the measure has no place in a table: what reads one takes each cell for a number. Empty if
/// it has.
std::string why_no_numbers(const NcclMeasure& measure);

class NcclTable {
 public:
  /// Of the cases that have all in common with `first` but the size and in_place.
  NcclTable(const NcclTest& test, const CaseResult& first);

  /// False if another case has the place already.
  bool add(const NcclPoint& point);
  /// A case of this table has no row, since its data were wrong.
  void add_wrong() { ++wrong_; }
  bool empty() const { return rows_.empty(); }
  /// The text from the title to the last line; `ranks` are those of the run.
  void print(std::ostream& out, const std::vector<RankInfo>& ranks) const;

 private:
  struct Row {
    std::int64_t size = 0, count = 0;
    std::optional<NcclMeasure> out_of_place, in_place;
  };
  void print_title(std::ostream& out) const;
  void print_devices(std::ostream& out, const std::vector<RankInfo>& ranks) const;
  void print_footer(std::ostream& out) const;

  const NcclTest* test_;
  std::string parameters_, type_, redop_;
  std::int64_t root_ = -1;
  std::int64_t ranks_ = 0;  ///< 0 = not known
  bool on_device_ = false;
  std::vector<Row> rows_;
  std::uint64_t iterations_ = 0;  ///< of the row that has most
  int wrong_ = 0;
};

}  // namespace scalemark::formats
