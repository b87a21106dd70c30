// SPDX-License-Identifier: Apache-2.0
// Tells slow links of a host from how its kind of machine is built.
#include "common/analysis/host_links.hpp"

#include <algorithm>

#include "common/fleet/lone_nodes.hpp"
#include "common/result/places.hpp"

namespace scalemark::analysis {
namespace {

/// The less slow one of two measurements.
std::optional<SlowLink> better(const std::optional<SlowLink>& one,
                               const std::optional<SlowLink>& other) {
  if (!one || !other) return std::nullopt;
  return one->factor <= other->factor ? one : other;
}

bool is_same_pair(const SlowLink& one, const SlowLink& other) {
  return std::minmax(one.from, one.to) == std::minmax(other.from, other.to);
}

}  // namespace

void HostLinks::add(const Run& run, const CaseResult& result) {
  const std::vector<RankInfo> ranks = ranks_of_case(result, run.ranks);
  if (!are_on_one_host(ranks) || !gpu_pairs(result)) return;
  const std::optional<SlowLink> link = slow_link(result);
  const auto [known, is_new] = links_[result.key].try_emplace(ranks.front().node, link);
  if (!is_new) known->second = better(known->second, link);
}

std::vector<LinkFinding> HostLinks::findings() const {
  std::vector<LinkFinding> found;
  for (const auto& [key, by_host] : links_) {
    const bool has_others = by_host.size() >= fleet::kMinLoneNodes;
    for (const auto& one : by_host) {
      if (!one.second) continue;
      const auto alike = std::ranges::count_if(by_host, [&](const auto& other) {
        return other.second && is_same_pair(*other.second, *one.second);
      });
      if (has_others && 2 * static_cast<std::size_t>(alike) > by_host.size()) continue;
      found.push_back({one.first, *one.second,
                       has_others ? fleet::NodeVerdict::bad : fleet::NodeVerdict::suspect});
    }
  }
  return found;
}

}  // namespace scalemark::analysis
