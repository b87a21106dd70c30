// SPDX-License-Identifier: Apache-2.0
// Selects a NUMA node by name.
#include "suites/micro/memory/numa_choice.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/text.hpp"

namespace scalemark::micro {
namespace {

constexpr int kNamedNodes = 16;

std::vector<int> nodes_with_memory(const hardware::Machine& machine) {
  std::vector<int> nodes;
  for (const hardware::NumaNode& node : machine.numa) {
    if (node.memory_bytes > 0) nodes.push_back(node.index);
  }
  return nodes;
}

}  // namespace

std::uint64_t numa_distance(const hardware::Machine& machine, int from, int to) {
  const auto place = [&](int node) {
    return static_cast<std::size_t>(
        std::ranges::find(machine.numa, node, &hardware::NumaNode::index) - machine.numa.begin());
  };
  const std::size_t i = place(from), j = place(to);
  if (i >= machine.distances.size() || j >= machine.distances[i].size()) return 0;
  return machine.distances[i][j];
}

NumaChoice choose_numa(const hardware::Machine& machine, int own, std::string_view wanted) {
  const std::vector<int> nodes = nodes_with_memory(machine);
  if (wanted == "local") {
    // A rank that is not bound to a single node uses the node of the thread that first touches the
    // memory.
    if (own < 0 || nodes.size() <= 1 || std::ranges::find(nodes, own) != nodes.end())
      return {own, {}};
    return {-1,
            fmt::format("the rank's own NUMA node {} has no memory that the rank may use", own)};
  }
  if (wanted == "remote") {
    if (nodes.size() <= 1) return {-1, "the machine has one NUMA node"};
    if (own < 0) return {-1, "the rank is bound to no single NUMA node"};
    int best = -1;
    for (const int node : nodes) {
      if (node == own) continue;
      if (best < 0 || numa_distance(machine, own, node) > numa_distance(machine, own, best))
        best = node;
    }
    return {best, {}};
  }
  const auto index = text::parse_integer(wanted);
  if (index && std::ranges::find(nodes, static_cast<int>(*index)) != nodes.end())
    return {static_cast<int>(*index), {}};
  return {-1,
          fmt::format("no NUMA node {} with memory that the rank may use; there are: {}", wanted,
                      nodes.empty() ? "none" : fmt::format("{}", fmt::join(nodes, ", ")))};
}

NumaChoice require_numa(Case& c) {
  NumaChoice choice = choose_numa(c.hardware().machine(), c.hardware().numa_node(), c.text("numa"));
  if (!c.all_ranks(choice.reason.empty()))
    c.skip(choice.reason.empty() ? "another rank has no such NUMA node" : choice.reason);
  if (choice.node < 0) return choice;
  c.fact("numa_node", static_cast<std::int64_t>(choice.node));
  const std::uint64_t distance =
      numa_distance(c.hardware().machine(), c.hardware().numa_node(), choice.node);
  if (distance > 0) c.fact("numa_distance", static_cast<std::int64_t>(distance));
  return choice;
}

void numa_axis(Benchmark& benchmark) {
  std::vector<std::string> allowed = {"local", "remote"};
  for (int node = 0; node < kNamedNodes; ++node) allowed.push_back(std::to_string(node));
  benchmark.axis("numa", {.values = allowed, .defaults = {"local"}, .implied = "local"});
}

}  // namespace scalemark::micro
