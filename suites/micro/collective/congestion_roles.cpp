// SPDX-License-Identifier: Apache-2.0
// Divides a job at random, by nodes where there are enough.
#include "suites/micro/collective/congestion_roles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <set>

#include "common/golden/fill.hpp"

namespace scalemark::micro {
namespace {

/// 0 to count - 1 in an order that depends on seed and stream only (Fisher and Yates).
std::vector<int> shuffled(std::size_t count, std::uint64_t seed, std::uint64_t stream) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[golden::word(seed, stream, i) % i]);
  return order;
}

}  // namespace

CongestionRoles congestion_roles(const std::vector<std::string>& nodes, double share,
                                 std::uint64_t seed) {
  const std::set<std::string> names(nodes.begin(), nodes.end());
  CongestionRoles roles{.by_node = names.size() >= std::size_t{kFewestToDivide}};
  const std::size_t units = roles.by_node ? names.size() : nodes.size();
  const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(units)));
  const std::size_t congestors = std::clamp<std::size_t>(wanted, 2, units - 2);
  const std::vector<int> order = shuffled(units, seed, 0);
  std::set<int> congested(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(congestors));
  for (const int rank : shuffled(nodes.size(), seed, 1)) {
    const auto node = names.find(nodes[static_cast<std::size_t>(rank)]);
    const int unit = roles.by_node ? static_cast<int>(std::distance(names.begin(), node)) : rank;
    (congested.contains(unit) ? roles.congestors : roles.victims).push_back(rank);
  }
  return roles;
}

}  // namespace scalemark::micro
