// SPDX-License-Identifier: Apache-2.0
// Phases as a table.
#include "common/core/case/phase_times.hpp"

namespace scalemark {
namespace {

/// A training may have a phase for each of very many epochs; the last ones then count as one.
constexpr std::size_t kMaxPhases = 4096;

}  // namespace

void PhaseTimes::enter(std::string_view name, std::uint64_t t) {
  if (names_.size() >= kMaxPhases && name != "done") return;
  names_.emplace_back(name);
  t_.push_back(t);
}

Table PhaseTimes::table(std::uint64_t now) const {
  if (names_.empty()) return {};
  std::vector<std::string> names = names_;
  std::vector<std::uint64_t> t = t_;
  if (names.back() != "done") {
    names.emplace_back("end");
    t.push_back(now);
  }
  return {{{"phase", "", std::move(names)}, {"t", "ns", std::move(t)}}};
}

}  // namespace scalemark
