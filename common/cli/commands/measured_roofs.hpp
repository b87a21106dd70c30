// SPDX-License-Identifier: Apache-2.0
// What a machine reaches, by its rows of matrix products and of STREAM: times of operations that
// have no row.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/core/benchmark.hpp"
#include "common/predict/op_cost.hpp"

namespace scalemark::cli {

/// Rates of the squares of micro/gemm and of the triad of micro/stream.
class MeasuredRoofs {
 public:
  /// Counts the row if it is one of these, and took some time.
  void add(const Benchmark& benchmark, const Point& point, double seconds);
  /// One call of `part` at the rates of its device, threads, ranks and precision. Nothing where
  /// such rates are missing, or where it is not declared what a call computes and moves.
  std::optional<predict::RooflineTimes> times(const WorkloadPart& part) const;

 private:
  using Rates = std::map<double, double>;  ///< the best for so much work
  /// By device, threads and ranks; of products by precision, too.
  std::map<std::string, Rates> flops_, bytes_;
};

}  // namespace scalemark::cli
