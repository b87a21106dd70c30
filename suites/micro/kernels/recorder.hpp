// SPDX-License-Identifier: Apache-2.0
// A Google Benchmark reporter that passes everything on and keeps it for a result file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "common/result/model.hpp"

namespace scalemark::micro::kernels {

/// Prints through Google Benchmark's own display reporter (so that all --benchmark_* flags keep
/// their meaning) and collects every repetition as a sample: total nanoseconds of `iterations`
/// operations. A benchmark `name/axis:value` becomes the key `kernels/name axis=value ranks=1
/// threads=N`; a value is a whole number or a text.
class Recorder final : public benchmark::BenchmarkReporter {
 public:
  Recorder();
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& reports) override;
  void Finalize() override;

  /// What was measured, in the order of the reports. `inner` of a case is the iteration count that
  /// its repetitions share.
  std::vector<CaseResult> cases() const;

 private:
  struct Collected {
    CaseResult result;
    std::vector<std::uint64_t> nanoseconds;
    std::uint64_t iterations = 0;
    double bytes = 0, items = 0, flops = 0;  ///< per operation
  };
  void collect(const Run& run);

  std::unique_ptr<benchmark::BenchmarkReporter> display_;
  std::vector<std::string> order_;
  std::map<std::string, Collected> collected_;
};

}  // namespace scalemark::micro::kernels
