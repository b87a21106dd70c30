// SPDX-License-Identifier: Apache-2.0
// Groups the pauses of each rank by NUMA node.
#include "common/analysis/pauses.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/result/places.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::analysis {
namespace {

using Place = std::pair<std::string, int>;

std::map<Place, std::vector<double>> by_place(const Samples& samples,
                                              const std::vector<RankInfo>& ranks,
                                              std::map<Place, std::size_t>& counts) {
  std::map<Place, std::vector<double>> values;
  for (std::size_t rank = 0; rank < std::min(samples.ranks, ranks.size()); ++rank) {
    const Place place{ranks[rank].node, ranks[rank].numa};
    ++counts[place];
    for (std::size_t epoch = 0; epoch < samples.iterations; ++epoch)
      values[place].push_back(samples.value(rank, epoch));
  }
  return values;
}

}  // namespace

std::vector<PauseTable> pause_tables(const Run& run) {
  std::vector<PauseTable> tables;
  for (const CaseResult& result : run.cases) {
    for (const char* name : {"epoch_start_pause", "test_pause"}) {
      const Metric* metric = result.find(name);
      if (result.status != Status::ok || metric == nullptr) continue;
      std::map<Place, std::size_t> ranks;
      PauseTable table{result.key, name, {}};
      const std::vector<RankInfo> where = ranks_of_case(result, run.ranks);
      for (auto& [place, values] : by_place(metric->samples, where, ranks)) {
        if (values.empty()) continue;
        table.nodes.push_back({.node = place.first,
                               .numa = place.second,
                               .ranks = ranks[place],
                               .median = stats::median(values),
                               .longest = std::ranges::max(values)});
      }
      if (table.nodes.size() > 1) tables.push_back(std::move(table));
    }
  }
  return tables;
}

void print_pauses(const Run& run, std::ostream& out) {
  const std::vector<PauseTable> tables = pause_tables(run);
  if (!tables.empty()) out << "\nPauses by NUMA node, over its ranks and all epochs:\n";
  std::string key;
  for (const PauseTable& table : tables) {
    if (table.key != key) out << fmt::format("  {}\n", text::printable(table.key, 400));
    key = table.key;
    for (const NodePauses& node : table.nodes) {
      out << fmt::format("    {:<18} {} NUMA node {}: {} {}, median {}, longest {}\n", table.metric,
                         text::printable(node.node, 80),
                         node.numa < 0 ? "unknown" : std::to_string(node.numa), node.ranks,
                         node.ranks == 1 ? "rank" : "ranks", units::seconds(node.median),
                         units::seconds(node.longest));
    }
  }
}

}  // namespace scalemark::analysis
