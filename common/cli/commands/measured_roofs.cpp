// SPDX-License-Identifier: Apache-2.0
// Gathers rates by the axes that rows and operations share.
#include "common/cli/commands/measured_roofs.hpp"

#include <algorithm>
#include <initializer_list>

#include "common/predict/op_cost.hpp"

namespace scalemark::cli {
namespace {

bool has(const Point& point, const char* axis, const std::string& value) {
  const auto* const own = point.find_as<std::string>(axis);
  return own != nullptr && *own == value;
}

/// Values of these axes; "-" for one that the point lacks.
std::string values_of(const Point& point, std::initializer_list<const char*> axes) {
  std::string values;
  for (const char* axis : axes) {
    const Value* const value = point.find(axis);
    values += (value == nullptr ? "-" : to_text(*value)) + " ";
  }
  return values;
}

std::string memory_of(const Point& point) {
  return values_of(point, {"device", "threads", "ranks"});
}

std::string products_of(const Point& point) {
  return values_of(point, {"device", "threads", "ranks", "precision"});
}

}  // namespace

void MeasuredRoofs::add(const Benchmark& benchmark, const Point& point, double seconds) {
  const std::optional<OperationWork> work = benchmark.work_for(point);
  if (!work || !(seconds > 0)) return;
  const auto keep = [&](Rates& rates, double done) {
    if (done > 0) rates[done] = std::max(rates[done], done / seconds);
  };
  if (benchmark.name() == "micro/gemm" && has(point, "shape", "square") &&
      has(point, "product", "forward"))
    keep(flops_[products_of(point)], work->flops);
  if (benchmark.name() == "micro/stream" && has(point, "operation", "triad"))
    keep(bytes_[memory_of(point)], work->bytes);
}

std::optional<double> MeasuredRoofs::seconds(const WorkloadPart& part) const {
  const Benchmark* const benchmark = Registry::instance().find(part.benchmark);
  if (benchmark == nullptr) return std::nullopt;
  const Point point = benchmark->with_implied(part.point);
  const std::optional<OperationWork> work = benchmark->work_for(point);
  if (!work) return std::nullopt;
  const auto rates = [](const std::map<std::string, Rates>& all, const std::string& key) {
    const auto found = all.find(key);
    return found == all.end() ? Rates() : found->second;
  };
  return predict::roofline_seconds(
      {.flops = rates(flops_, products_of(point)), .bytes = rates(bytes_, memory_of(point))},
      work->flops, work->bytes);
}

}  // namespace scalemark::cli
