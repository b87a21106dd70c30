// SPDX-License-Identifier: Apache-2.0
// How far a run has come, and how long it will take.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/clock.hpp"
#include "common/result/sink.hpp"

namespace scalemark::print {

struct ProgressOptions {
  /// Columns of a terminal, whose line is written over at most five times a second; 0 = lines of
  /// their own, at most one every ten seconds.
  std::size_t line_width = 0;
  bool every_case = false;  ///< a line for each case, however short
  std::function<std::uint64_t()> clock = now_ns;
  /// Seconds for the whole run: cases that would start later will be skipped.
  std::optional<double> budget = {};
};

/// Says which case is running, how many there are, the time gone and the time left. Speaks only
/// between phases of a case, never while something is timed. The time left goes by the mean time of
/// the benchmark's finished cases, of all finished cases for a benchmark that is still to come; no
/// case takes any that will be skipped, is done, or would start behind the budget.
class Progress final : public ResultSink {
 public:
  /// `write` takes a line; on a terminal a text with the control characters to write over.
  Progress(std::function<void(const std::string&)> write, ProgressOptions options);

  /// After begin(): these cases take no time (they are done, or will be skipped), by index.
  void leave_out(const std::set<std::size_t>& indices);

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
  double time_of(std::size_t index) const;
  double left() const;
  void show(const CaseResult& current);
  void clear();

  std::function<void(const std::string&)> write_;
  ProgressOptions options_;
  std::vector<std::string> planned_;  ///< benchmark of each case
  /// Which cases are measured, in order; all of them once unless expect() said otherwise.
  std::vector<std::size_t> order_;
  std::set<std::size_t> left_out_;
  bool in_order_ = true;  ///< a case's index is its place in `order_`
  std::map<std::string, Mean> means_;
  Mean all_;
  std::size_t next_ = 0;  ///< places up to here are done
  std::uint64_t start_ = 0, case_start_ = 0, last_ = 0;
  bool spoken_ = false, shown_ = false;
};

}  // namespace scalemark::print
