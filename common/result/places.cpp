// SPDX-License-Identifier: Apache-2.0
// Converts between ranks and the columns of the table `places`.
#include "common/result/places.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "common/result/table_columns.hpp"

namespace scalemark {
namespace {

struct TextColumn {
  const char* name;
  std::string RankInfo::*field;
};
constexpr TextColumn kTexts[] = {{"node", &RankInfo::node},
                                 {"cpuset", &RankInfo::cpuset},
                                 {"gpu_uuid", &RankInfo::gpu_uuid},
                                 {"gpu_pci", &RankInfo::gpu_pci},
                                 {"gpu_model", &RankInfo::gpu_model},
                                 {"nic", &RankInfo::nic},
                                 {"note", &RankInfo::note}};

std::vector<std::string> texts_of(const std::vector<RankInfo>& ranks,
                                  std::string RankInfo::*field) {
  std::vector<std::string> texts;
  for (const RankInfo& rank : ranks) texts.push_back(rank.*field);
  return texts;
}

/// A number from a file as an int; `otherwise` where it does not fit.
int small(double value, int otherwise) {
  const bool fits = std::abs(value) <= std::numeric_limits<int>::max();  // not for NaN
  return fits ? static_cast<int>(value) : otherwise;
}

}  // namespace

Table places_table(const std::vector<RankInfo>& ranks) {
  std::vector<std::uint64_t> numbers, local;
  std::vector<double> numa;  // -1: more than one, or unknown
  for (const RankInfo& rank : ranks) {
    numbers.push_back(static_cast<std::uint64_t>(rank.rank));
    local.push_back(static_cast<std::uint64_t>(rank.local_rank));
    numa.push_back(rank.numa);
  }
  Table table{{{"rank", "", numbers}}};
  for (const TextColumn& column : kTexts)
    table.columns.push_back({column.name, "", texts_of(ranks, column.field)});
  table.columns.push_back({"local_rank", "", local});
  table.columns.push_back({"numa", "", numa});
  return table;
}

std::vector<RankInfo> ranks_of_case(const CaseResult& result, const std::vector<RankInfo>& of_run) {
  const auto found = result.tables.find(kPlacesTable);
  if (found == result.tables.end()) return of_run;
  const Table& table = found->second;
  const auto* nodes = values_of<std::string>(table, "node");
  if (nodes == nullptr) return of_run;
  std::vector<RankInfo> ranks(nodes->size());
  const auto* numbers = values_of<std::uint64_t>(table, "rank");
  const auto* local = values_of<std::uint64_t>(table, "local_rank");
  const auto* numa = values_of<double>(table, "numa");
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].rank = static_cast<int>(i);
    if (numbers != nullptr && i < numbers->size())
      ranks[i].rank = small(static_cast<double>((*numbers)[i]), ranks[i].rank);
    if (local != nullptr && i < local->size())
      ranks[i].local_rank = small(static_cast<double>((*local)[i]), 0);
    if (numa != nullptr && i < numa->size()) ranks[i].numa = small((*numa)[i], -1);
  }
  for (const TextColumn& column : kTexts) {
    const auto* texts = values_of<std::string>(table, column.name);
    if (texts == nullptr) continue;
    for (std::size_t i = 0; i < std::min(ranks.size(), texts->size()); ++i)
      ranks[i].*column.field = (*texts)[i];
  }
  return ranks;
}

bool are_on_one_host(const std::vector<RankInfo>& ranks) {
  return !ranks.empty() && std::ranges::all_of(ranks, [&](const RankInfo& one) {
    return one.node == ranks.front().node;
  });
}

}  // namespace scalemark
