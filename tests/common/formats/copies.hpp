// SPDX-License-Identifier: Apache-2.0
// Made-up results of micro/memcpy, as its function stores them.
#pragma once

#include <cstdint>
#include <string>

#include "tests/common/formats/communication.hpp"

namespace scalemark::test {

/// Copies of a GPU, timed by events (`times`: nanoseconds of each rank) and, ten times as long, by
/// the host's clock.
inline CaseResult copy(const std::string& direction, const std::string& host_memory,
                       std::int64_t bytes, const PerRank& times,
                       const std::string& engine = "copy_engine") {
  CaseResult result;
  result.name = "micro/memcpy";
  result.params = {{"bytes", bytes},
                   {"direction", direction},
                   {"engine", engine},
                   {"host_memory", host_memory},
                   {"ranks", static_cast<std::int64_t>(times.empty() ? 1 : times.size())}};
  // As planned: implied values stand in the parameters, not in the key.
  Point shown = result.params;
  if (engine == "copy_engine") shown.erase("engine");
  result.key = make_key(result.name, shown);
  result.params["numa"] = std::string("local");
  result.params["devices"] = std::string("all");
  PerRank by_clock = times;
  for (auto& rank : by_clock) {
    for (std::uint64_t& time : rank) time *= 10;
  }
  const auto counted = static_cast<double>(bytes);
  result.metrics = {durations("time", by_clock), rate("bandwidth", "time", counted),
                    durations("event_time", times), rate("event_bandwidth", "event_time", counted)};
  result.primary_metric = "bandwidth";
  return result;
}

}  // namespace scalemark::test
