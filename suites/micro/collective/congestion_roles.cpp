// SPDX-License-Identifier: Apache-2.0
// Divides a job at random, by nodes where there are enough.
#include "suites/micro/collective/congestion_roles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <set>

#include "suites/micro/data/shuffled.hpp"

namespace scalemark::micro {
CongestionRoles congestion_roles(const std::vector<std::string>& nodes, double share,
                                 std::uint64_t seed) {
  const std::set<std::string> names(nodes.begin(), nodes.end());
  CongestionRoles roles{.by_node = names.size() >= std::size_t{kFewestToDivide}};
  const std::size_t units = roles.by_node ? names.size() : nodes.size();
  const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(units)));
  const std::size_t congestors = std::clamp<std::size_t>(wanted, 2, units - 2);
  const std::vector<std::uint64_t> order = shuffled(units, seed);
  const std::set<std::uint64_t> congested(order.begin(),
                                          order.begin() + static_cast<std::ptrdiff_t>(congestors));
  for (const std::uint64_t rank : shuffled(nodes.size(), seed + 1)) {
    const auto node = std::distance(names.begin(), names.find(nodes[rank]));
    const std::uint64_t unit = roles.by_node ? static_cast<std::uint64_t>(node) : rank;
    (congested.contains(unit) ? roles.congestors : roles.victims).push_back(static_cast<int>(rank));
  }
  return roles;
}

}  // namespace scalemark::micro
