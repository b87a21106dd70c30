// SPDX-License-Identifier: Apache-2.0
// Links by back end and place, and loads of links.
#include "common/core/peaks/link_use.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace scalemark {

double busiest_end(std::span<const Flow> flows, Ends ends) {
  std::map<int, double> sent, received;
  for (const Flow& flow : flows) {
    const int from = ends[static_cast<std::size_t>(flow.from)];
    const int to = ends[static_cast<std::size_t>(flow.to)];
    if (from == to) continue;
    sent[from] += flow.bytes;
    received[to] += flow.bytes;
  }
  double most = 0;
  for (const auto* direction : {&sent, &received}) {
    for (const auto& [end, bytes] : *direction) most = std::max(most, bytes);
  }
  return most;
}

double collective_bytes(double total, double (*bus_factor)(int), bool exchanges, Ends ends) {
  std::map<int, int> ranks_at;
  for (const int end : ends) ++ranks_at[end];
  const auto count = static_cast<int>(ranks_at.size());
  if (count < 2) return 0;
  const int each = ranks_at.begin()->second;
  if (std::ranges::any_of(ranks_at, [&](const auto& one) { return one.second != each; }))
    return std::nan("");
  return total * bus_factor(count) * (exchanges ? each : 1);
}

LinkChoice choose_link(const LinkUse& use) {
  switch (use.carrier) {
    case Carrier::to_gpu:
      return {LinkKind::gpu_to_host, ""};
    case Carrier::host_memory:
      return {LinkKind::host_memory, ""};
    case Carrier::device_memory:
      return {LinkKind::gpu_memory, ""};
    case Carrier::storage:
      return {LinkKind::none, "no peak is known for storage and page cache"};
    case Carrier::unstated:
      return {LinkKind::none, "no peak is known for this kind of work"};
    case Carrier::between_ranks:
      break;
  }
  if (use.ranks < 2) return {LinkKind::none, "no link: one rank"};
  // gloo talks through sockets, whatever else there is.
  if (use.nodes > 1) return {use.backend == "gloo" ? LinkKind::sockets : LinkKind::network, ""};
  if (!use.on_gpu) return {LinkKind::none, "no link: shared memory"};
  // c10d talks through NCCL where data are on GPUs.
  if (use.backend == "nccl" || use.backend == "c10d") return {LinkKind::gpu_to_gpu, ""};
  return {LinkKind::none, "which way " + use.backend + " takes between GPUs of a node is unknown"};
}

}  // namespace scalemark
