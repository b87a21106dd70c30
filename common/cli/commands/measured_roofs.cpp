// SPDX-License-Identifier: Apache-2.0
// Gathers rates by the axes that rows and operations share.
#include "common/cli/commands/measured_roofs.hpp"

#include <algorithm>

namespace scalemark::cli {
namespace {

std::string products_of(const Point& point) { return make_key("", axes_of_rows(point)); }

/// All precisions share the memory.
std::string memory_of(const Point& point) {
  Point shared = axes_of_rows(point);
  shared.erase("precision");
  return make_key("", shared);
}

void keep_best(std::map<double, double>& rates, double work, double seconds) {
  if (work > 0) rates[work] = std::max(rates[work], work / seconds);
}

}  // namespace

void MeasuredRoofs::add(const Benchmark& benchmark, const Point& point, double seconds) {
  const bool is_square = benchmark.name() == "micro/gemm" && point.text("shape", "") == "square" &&
                         point.text("product", "") == "forward",
             is_triad =
                 benchmark.name() == "micro/stream" && point.text("operation", "") == "triad";
  if (!(seconds > 0) || (!is_square && !is_triad)) return;
  const OperationWork work = benchmark.work_for(point).value_or(OperationWork());
  if (is_square)
    keep_best(flops_[products_of(point)], work.flops, seconds);
  else
    keep_best(bytes_[memory_of(point)], work.bytes, seconds);
}

std::optional<predict::RooflineTimes> MeasuredRoofs::times(const WorkloadPart& part) const {
  const Benchmark* const benchmark = Registry::instance().find(part.benchmark);
  if (benchmark == nullptr) return std::nullopt;
  const Point point = benchmark->with_implied(part.point);
  const std::optional<OperationWork> work = benchmark->work_for(point);
  if (!work) return std::nullopt;
  const auto rates = [](const std::map<std::string, Rates>& all, const std::string& key) {
    const auto found = all.find(key);
    return found == all.end() ? Rates() : found->second;
  };
  return predict::roofline_times(
      {.flops = rates(flops_, products_of(point)), .bytes = rates(bytes_, memory_of(point))},
      work->flops, work->bytes);
}

}  // namespace scalemark::cli
