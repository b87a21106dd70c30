// SPDX-License-Identifier: Apache-2.0
// Finds the row that is nearest to a message.
#include "common/cli/commands/overlap_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <tuple>

#include "common/cli/commands/same_machine.hpp"
#include "common/result/summarise.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {

OverlapRows::OverlapRows(const std::vector<std::string>& paths) {
  SameMachine machine;
  for (const std::filesystem::path& file : find_all_runs({paths.begin(), paths.end()}))
    machine.visit(file, [&](const Run&, const CaseResult& one) { add(one); });
}

void OverlapRows::add(const CaseResult& one) {
  const Metric* const ratio = one.find("overlap_ratio");
  const auto* const collective = one.params.find_as<std::string>("collective");
  if (one.name != "micro/overlap" || ratio == nullptr || collective == nullptr) return;
  const auto* const backend = one.params.find_as<std::string>("backend");
  const auto* const memory = one.params.find_as<std::string>("memory");
  const auto* const ranks = one.params.find_as<std::int64_t>("ranks");
  const auto* const bytes = one.params.find_as<std::int64_t>("bytes");
  if (backend == nullptr || memory == nullptr || ranks == nullptr || bytes == nullptr) return;
  const double value = median_of(one, *ratio);
  if (!std::isfinite(value) || *ranks < 1 || *bytes < 1) return;
  rows_.push_back({*collective, *backend, *memory, static_cast<double>(*ranks),
                   static_cast<double>(*bytes), std::clamp(value, 0.0, 1.0)});
}

std::optional<double> OverlapRows::ratio(const std::string& collective, const std::string& backend,
                                         const std::string& memory, int ranks, double bytes) const {
  const auto distance = [&](const Row& row) {
    return std::tuple(
        row.collective != collective || row.backend != backend || row.memory != memory,
        std::abs(std::log(row.ranks / ranks)), std::abs(std::log(row.bytes / bytes)));
  };
  const auto nearest = std::ranges::min_element(rows_, {}, distance);
  if (nearest == rows_.end() || std::get<0>(distance(*nearest))) return std::nullopt;
  return nearest->ratio;
}

}  // namespace scalemark::cli
