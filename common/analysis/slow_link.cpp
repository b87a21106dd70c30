// SPDX-License-Identifier: Apache-2.0
// Finds a slow pair of GPUs.
#include "common/analysis/slow_link.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "common/stats/summary.hpp"

namespace scalemark::analysis {
namespace {

constexpr double kLeastFactor = 1.25, kDeviations = 5;
constexpr std::size_t kLeastPairs = 6;

template <typename T>
const std::vector<T>* column(const Table& table, const std::string& name) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  return found == table.columns.end() ? nullptr : std::get_if<std::vector<T>>(&found->values);
}

}  // namespace

std::optional<GpuPairs> gpu_pairs(const CaseResult& result) {
  const auto table = result.tables.find("pairs");
  const auto* bytes = result.params.find_as<std::int64_t>("bytes");
  if (table == result.tables.end() || !bytes || *bytes <= 0) return std::nullopt;
  const auto* from = column<std::uint64_t>(table->second, "from_gpu");
  const auto* to = column<std::uint64_t>(table->second, "to_gpu");
  const auto* latency = column<double>(table->second, "latency");
  const auto* time = latency ? latency : column<double>(table->second, "time");
  if (!from || !to || !time || from->size() != time->size() || to->size() != time->size() ||
      time->empty() ||
      !std::ranges::all_of(*time, [](double one) { return one > 0 && std::isfinite(one); }))
    return std::nullopt;
  return GpuPairs{*from, *to, *time, latency ? 0 : static_cast<double>(*bytes)};
}

std::optional<SlowLink> slow_link(const CaseResult& result) {
  const std::optional<GpuPairs> pairs = gpu_pairs(result);
  if (!pairs || pairs->seconds.size() < kLeastPairs) return std::nullopt;
  std::vector<double> logarithms;
  for (const double seconds : pairs->seconds) logarithms.push_back(std::log(seconds));
  const double middle = stats::median(logarithms);
  const double limit = std::max(std::log(kLeastFactor), kDeviations * stats::mad(logarithms));
  const auto slow = static_cast<std::size_t>(
      std::ranges::count_if(logarithms, [&](double one) { return one - middle > limit; }));
  if (slow == 0 || 4 * slow > logarithms.size()) return std::nullopt;
  const auto worst =
      static_cast<std::size_t>(std::ranges::max_element(logarithms) - logarithms.begin());
  return SlowLink{.from = pairs->from[worst],
                  .to = pairs->to[worst],
                  .factor = std::exp(logarithms[worst] - middle),
                  .slow = slow,
                  .pairs = logarithms.size()};
}

std::string slow_text(const SlowLink& slow) {
  return fmt::format("GPU {} to GPU {} takes {:.1f} times as long as the median of {} pairs{}",
                     slow.from, slow.to, slow.factor, slow.pairs,
                     slow.slow > 1 ? fmt::format(" ({} are slow)", slow.slow) : "");
}

}  // namespace scalemark::analysis
