// SPDX-License-Identifier: Apache-2.0
// The progress line of a run: current case, elapsed time, estimated time left.
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
  /// Width of the terminal, whose last line is overwritten at most five times per second. 0 = no
  /// terminal: separate lines, at most one every ten seconds.
  std::size_t line_width = 0;
  bool every_case = false;  ///< without a terminal: a line for each case, however short
  std::function<std::uint64_t()> clock = now_ns;
  /// Time limit of the whole run in seconds. Cases that would start later will be skipped.
  std::optional<double> budget = {};
};

/// Prints which case runs, the number of cases, the elapsed time and the time left. It prints only
/// between phases of a case, never during a measurement. The estimate uses the mean time of the
/// benchmark's finished cases, or of all finished cases if the benchmark has none yet. Cases that
/// are done, will be skipped, or would start after the time limit count as zero.
class Progress final : public ResultSink {
 public:
  /// `write` receives each line. On a terminal the text contains the control characters to
  /// overwrite the line.
  Progress(std::function<void(const std::string&)> write, ProgressOptions options);

  /// Cases (by index) that take no time, as they are done or will be skipped. Call after begin().
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
  std::vector<std::string> planned_;  ///< benchmark name of each case
  /// Case indices in the order of measurement. One entry per case unless expect() set another
  /// order.
  std::vector<std::size_t> order_;
  std::set<std::size_t> left_out_;
  bool in_order_ = true;  ///< index of a case = its position in `order_`
  std::map<std::string, Mean> means_;
  Mean all_;
  std::size_t next_ = 0;  ///< position in `order_` of the current case
  std::uint64_t start_ = 0, case_start_ = 0, last_ = 0;
  bool spoken_ = false, shown_ = false;
};

}  // namespace scalemark::print
