// SPDX-License-Identifier: Apache-2.0
// Reads facts that are the same on all hosts, or differ.
#include "common/analysis/host_facts.hpp"

namespace scalemark::analysis {

std::string fact_of(const Run& run, const std::string& host, const std::string& name) {
  const Environment& known = run.environment;
  if (const auto differs = known.differs.find(name); differs != known.differs.end()) {
    if (const auto own = differs->second.find(host); own != differs->second.end())
      return own->second;
  }
  const auto common = known.common.find(name);
  return common == known.common.end() ? std::string() : common->second;
}

const std::string& gpu_of(const RankInfo& rank) {
  return rank.gpu_pci.empty() ? rank.gpu_uuid : rank.gpu_pci;
}

}  // namespace scalemark::analysis
