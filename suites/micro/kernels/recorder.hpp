// SPDX-License-Identifier: Apache-2.0
// A Google Benchmark reporter that prints the runs and collects them for a result file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "common/result/model.hpp"

namespace scalemark::micro::kernels {

/// Prints through Google Benchmark's display reporter, so all --benchmark_* flags work. Collects
/// every repetition as a sample: total nanoseconds of `iterations` operations. A benchmark
/// `name/axis:value` gets the key `kernels/name axis=value ranks=1 threads=N`; values are whole
/// numbers or texts.
class Recorder final : public benchmark::BenchmarkReporter {
 public:
  Recorder();
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& reports) override;
  void Finalize() override;

  /// Measured cases in the order of the reports. `inner` is the iteration count, equal for all
  /// repetitions of a case.
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
