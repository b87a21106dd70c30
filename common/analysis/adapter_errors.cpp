// SPDX-License-Identifier: Apache-2.0
// Compares the counters of adapters at the start and the end of a run.
#include "common/analysis/adapter_errors.hpp"

#include <array>
#include <map>
#include <set>
#include <string_view>

#include "common/analysis/host_facts.hpp"
#include "common/base/text.hpp"

namespace scalemark::analysis {
namespace {

constexpr std::string_view kEnd = "end.", kErrors = "nic_errors.";

// InfiniBand and RoCE: Linux, Documentation/ABI/stable/sysfs-class-infiniband. Ethernet:
// Documentation/ABI/testing/sysfs-class-net-statistics and sysfs-class-net.
constexpr std::array kCounters = {"symbol_error",    "link_downed",           "link_error_recovery",
                                  "port_rcv_errors", "local_ack_timeout_err", "rx_errors",
                                  "tx_errors",       "carrier_down_count"};

/// "symbol_error=0 link_downed=1".
std::map<std::string, std::uint64_t> counters_in(const std::string& text) {
  std::map<std::string, std::uint64_t> counters;
  for (const std::string& pair : text::split(text, ' ')) {
    const std::size_t at = pair.find('=');
    if (at == std::string::npos) continue;
    if (const auto count = text::parse_integer(pair.substr(at + 1)); count && *count >= 0)
      counters[pair.substr(0, at)] = static_cast<std::uint64_t>(*count);
  }
  return counters;
}

/// Names of the facts about adapters, without "end.".
std::set<std::string> adapter_facts(const Environment& known) {
  std::set<std::string> names;
  const auto add = [&](const auto& facts) {
    for (auto one = facts.lower_bound(std::string(kErrors));
         one != facts.end() && one->first.starts_with(kErrors); ++one)
      names.insert(one->first);
  };
  add(known.common);
  add(known.differs);
  return names;
}

}  // namespace

std::vector<AdapterErrors> adapter_errors(const Run& run) {
  std::vector<AdapterErrors> found;
  const std::set<std::string> names = adapter_facts(run.environment);
  if (names.empty()) return found;
  std::set<std::string> hosts;
  for (const RankInfo& rank : run.ranks) hosts.insert(rank.node);
  for (const std::string& host : hosts) {
    for (const std::string& name : names) {
      const auto before = counters_in(fact_of(run, host, name));
      const auto after = counters_in(fact_of(run, host, std::string(kEnd) + name));
      for (const char* counter : kCounters) {
        const auto first = before.find(counter), last = after.find(counter);
        if (first != before.end() && last != after.end() && last->second > first->second)
          found.push_back(
              {host, name.substr(kErrors.size()), counter, last->second - first->second});
      }
    }
  }
  return found;
}

}  // namespace scalemark::analysis
