// SPDX-License-Identifier: Apache-2.0
// Tests the counts of slow cases per rank against chance.
#include "common/compare/findings/stragglers.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/stats/adjust.hpp"
#include "common/stats/special.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

using Places = std::map<std::string, RankTally>;

Places places_of(std::span<const RunDigest> side) {
  Places places;
  for (const RunDigest& run : side) {
    for (const RankTally& rank : run.ranks) {
      if (rank.cases == 0) continue;
      RankTally& sum = places[rank.place];
      sum.cases += rank.cases;
      sum.slow += rank.slow;
      sum.expected += rank.expected;
      sum.slower.insert(sum.slower.end(), rank.slower.begin(), rank.slower.end());
    }
  }
  return places;
}

/// Probability of at least this many slow cases by chance. The chance differs between cases; the
/// binomial with the mean chance is an upper bound (Hoeffding 1956).
double p_of_chance(const RankTally& tally) {
  const auto cases = static_cast<double>(tally.cases), slow = static_cast<double>(tally.slow);
  if (tally.slow == 0) return 1;
  return stats::beta_inc(slow, cases - slow + 1, tally.expected / cases);
}

struct Slow {
  RankTally tally;
  double p = 0, q = 0;
};

std::map<std::string, Slow> slow_places(const Places& places, double alpha) {
  std::vector<double> p;
  for (const auto& [place, tally] : places) p.push_back(p_of_chance(tally));
  const std::vector<double> q = stats::benjamini_hochberg(p);
  std::map<std::string, Slow> slow;
  std::size_t i = 0;
  for (const auto& [place, tally] : places) {
    if (q[i] <= alpha) slow[place] = {tally, p[i], q[i]};
    ++i;
  }
  return slow;
}

double typical(const RankTally& tally) {
  return stats::median(std::vector<double>(tally.slower.begin(), tally.slower.end()));
}

/// Whether the place is unknown or not slow on the other side.
std::string status_on_other_side(const std::string& place, const Places& other, const char* name,
                                 bool other_is_baseline) {
  if (other_is_baseline) return ", unknown for A: a baseline stores no ranks";
  return fmt::format(", {} {}", other.contains(place) ? "not in" : "absent from", name);
}

Finding finding_of(const std::string& place, const Slow& one, const std::string& side,
                   const std::string& end) {
  const double slower = typical(one.tally);
  return {"straggler",
          side,
          place,
          fmt::format("{} is {:.1f} % slower than the other ranks, in {} of {}{}", place,
                      100 * slower, one.tally.slow, text::counted(one.tally.cases, "case"), end),
          {{"slower", slower},
           {"slow_cases", static_cast<double>(one.tally.slow)},
           {"cases", static_cast<double>(one.tally.cases)},
           {"p", one.p},
           {"q", one.q}}};
}

}  // namespace

std::vector<Finding> find_stragglers(std::span<const RunDigest> a, std::span<const RunDigest> b,
                                     double alpha) {
  const Places seen_a = places_of(a), seen_b = places_of(b);
  const std::map<std::string, Slow> left = slow_places(seen_a, alpha),
                                    right = slow_places(seen_b, alpha);
  // A baseline keeps no tallies of ranks.
  const bool baseline =
      std::ranges::any_of(a, [](const RunDigest& run) { return !run.stands_for.empty(); });
  std::vector<Finding> findings;
  for (const auto& [place, one] : right) {
    const bool both = left.contains(place);
    findings.push_back(
        finding_of(place, one, both ? "both" : "B",
                   both ? ", in A as well" : status_on_other_side(place, seen_a, "A", baseline)));
  }
  for (const auto& [place, one] : left) {
    if (!right.contains(place))
      findings.push_back(
          finding_of(place, one, "A", status_on_other_side(place, seen_b, "B", false)));
  }
  std::ranges::stable_sort(findings, {}, [](const Finding& one) {
    return std::pair(one.side == "B" ? 0 : one.side == "A" ? 1 : 2, -one.numbers.at("slower"));
  });
  return findings;
}

}  // namespace scalemark::compare
