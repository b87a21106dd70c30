// SPDX-License-Identifier: Apache-2.0
// How far a run has come, and how long it will take.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/clock.hpp"
#include "common/result/sink.hpp"

namespace scalemark::report {

struct ProgressOptions {
  /// Columns of a terminal, whose line is written over at most five times a second; 0 = each call
  /// is a line of its own, at most one a second.
  std::size_t line_width = 0;
  bool every_case = false;  ///< a line for each case, however short
  std::function<std::uint64_t()> clock = now_ns;
};

/// Says which case is running, how many there are, the time gone and the time left. Speaks only
/// between phases of a case, never while something is timed. The time left goes by the mean time of
/// the benchmark's finished cases, of all finished cases for a benchmark that is still to come.
class Progress final : public ResultSink {
 public:
  /// `write` takes a line; on a terminal a text with the control characters to write over.
  Progress(std::function<void(const std::string&)> write, ProgressOptions options);

  void begin(const Run& run) override;
  void started(const CaseResult& planned) override;
  void phase(const CaseResult& current) override;
  void add(const CaseResult& result) override;
  CaseResult keep(const CaseResult& part) override;
  void add_kept(const CaseResult& all) override;
  void expect(const std::vector<std::size_t>& indices) override;
  void end(const Run& run) override;

 private:
  struct Mean {
    double seconds = 0;
    std::size_t cases = 0;
  };

  std::string line(const CaseResult& current) const;
  void note_end(const CaseResult& result);
  double left() const;
  void show(const CaseResult& current);
  void clear();

  std::function<void(const std::string&)> write_;
  ProgressOptions options_;
  std::vector<std::string> planned_;  ///< benchmark of each case
  /// Which cases are measured, in order; all of them once unless expect() said otherwise.
  std::vector<std::size_t> order_;
  bool in_order_ = true;  ///< a case's index is its place in `order_`
  std::map<std::string, Mean> means_;
  Mean all_;
  std::size_t next_ = 0;  ///< places up to here are done
  std::uint64_t start_ = 0, case_start_ = 0, last_ = 0;
  bool spoken_ = false, shown_ = false;
};

}  // namespace scalemark::report
