// SPDX-License-Identifier: Apache-2.0
// Renames hosts where files are read, so that all that follows knows one name of each.
#include "common/analysis/node_names.hpp"

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/analysis/pair_table.hpp"
#include "common/fleet/host_names.hpp"

namespace scalemark::analysis {
namespace {

/// Columns of hosts, or of places that begin with a host.
bool has_hosts(const Column& column) {
  return column.name == "node" || column.name == "rank_place" || column.name == "peer_place";
}

}  // namespace

NodeNames::NodeNames(std::span<const std::string> listed) : listed_(listed.begin(), listed.end()) {
  for (const std::string& name : listed_) {
    const auto [known, is_new] = by_short_.try_emplace(fleet::short_name(name), name);
    if (!is_new) known->second.clear();
  }
}

std::string NodeNames::of(const std::string& host) const {
  if (listed_.contains(host)) return host;
  const auto known = by_short_.find(fleet::short_name(host));
  return known == by_short_.end() || known->second.empty() ? host : known->second;
}

void NodeNames::rename(Run& run) const {
  for (RankInfo& rank : run.ranks) rank.node = of(rank.node);
  for (auto& [fact, values] : run.environment.differs) {
    std::map<std::string, std::string> renamed;
    for (auto& [host, value] : values) renamed[of(host)] = std::move(value);
    values = std::move(renamed);
  }
}

void NodeNames::rename(CaseResult& result) const {
  for (auto& [name, table] : result.tables)
    for (Column& column : table.columns) {
      auto* places = std::get_if<std::vector<std::string>>(&column.values);
      if (places == nullptr || !has_hosts(column)) continue;
      for (std::string& place : *places) {
        const std::string host(host_in(place));
        place.replace(0, host.size(), of(host));
      }
    }
}

}  // namespace scalemark::analysis
