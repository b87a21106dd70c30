// SPDX-License-Identifier: Apache-2.0
// Judges nodes by robust statistics of logarithmic times.
#include "common/fleet/node_verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/stats/distributions.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::fleet {
namespace {

constexpr double kBestBeyond = 1, kMedianBeyond = 1.5;  // sigmas
constexpr double kMinSuspicion = 0.03, kMinDifference = 0.05;
constexpr double kFalseAlarms = 0.01, kMedianError = 1.2533;
constexpr std::size_t kMinPairs = 3;

/// Logarithms of the measured times, by node.
std::vector<std::vector<double>> by_node(std::size_t nodes, std::span<const PairTime> times) {
  std::vector<std::vector<double>> logarithms(nodes);
  for (const PairTime& time : times) {
    if (!is_measured(time.seconds)) continue;
    for (const std::size_t node : {time.nodes.a, time.nodes.b})
      if (node < nodes) logarithms[node].push_back(std::log(time.seconds));
  }
  return logarithms;
}

JudgedNode judge_suspect(const std::vector<double>& logarithms, const Screening& screening,
                         double quantile) {
  JudgedNode judged{.verdict = NodeVerdict::untested, .factor = 1, .pairs = logarithms.size()};
  if (logarithms.empty()) return judged;
  const double beyond = stats::median(logarithms) - screening.median;
  judged.factor = std::exp(beyond);
  if (logarithms.size() < kMinPairs) return judged;
  const double error =
      kMedianError * screening.sigma / std::sqrt(static_cast<double>(logarithms.size()));
  judged.verdict = beyond > std::max(std::log1p(kMinDifference), quantile * error)
                       ? NodeVerdict::bad
                       : NodeVerdict::suspect;
  return judged;
}

}  // namespace

bool is_measured(double seconds) { return seconds > 0 && std::isfinite(seconds); }

Screening screen(std::size_t nodes, std::span<const PairTime> times) {
  Screening result;
  std::vector<double> all;
  for (const PairTime& time : times)
    if (is_measured(time.seconds)) all.push_back(std::log(time.seconds));
  const std::vector<std::vector<double>> own = by_node(nodes, times);
  if (!all.empty()) {
    result.median = stats::median(all);
    result.sigma = stats::mad(all);
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    if (own[node].empty()) {
      result.untested.push_back(node);
      continue;
    }
    const double best = *std::ranges::min_element(own[node]) - result.median;
    if (best <= kBestBeyond * result.sigma)
      result.proven.push_back(node);
    else if (stats::median(own[node]) - result.median >
             std::max(kMedianBeyond * result.sigma, std::log1p(kMinSuspicion)))
      result.suspects.push_back(node);
  }
  return result;
}

std::string_view to_string(NodeVerdict verdict) {
  constexpr std::array<std::string_view, 4> kNames{"OK", "SUSPECT", "BAD", "UNTESTED"};
  return kNames[static_cast<std::size_t>(verdict)];
}

int severity(NodeVerdict verdict) {
  constexpr std::array kSeverity{0, 2, 3, 1};  // ok, suspect, bad, untested
  return kSeverity[static_cast<std::size_t>(verdict)];
}

std::vector<JudgedNode> judge(std::size_t nodes, const Screening& screening,
                              std::span<const PairTime> screened,
                              std::span<const PairTime> confirmed, std::size_t measurements) {
  const std::vector<std::vector<double>> own = by_node(nodes, screened),
                                         again = by_node(nodes, confirmed);
  std::vector<JudgedNode> judged(nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    judged[node].pairs = own[node].size();
    if (!own[node].empty())
      judged[node].factor = std::exp(stats::median(own[node]) - screening.median);
  }
  for (const std::size_t node : screening.untested) judged[node].verdict = NodeVerdict::untested;
  const double quantile = stats::normal_quantile(
      1 - kFalseAlarms / static_cast<double>(std::max<std::size_t>(1, nodes * measurements)));
  for (const std::size_t node : screening.suspects)
    judged[node] = judge_suspect(again[node], screening, quantile);
  return judged;
}

}  // namespace scalemark::fleet
