// SPDX-License-Identifier: Apache-2.0
// Groups cases into sweeps over message sizes and fits the cost model to each.
#include "common/analysis/message_costs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "common/base/key.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/summary.hpp"
#include "common/text/cells.hpp"

namespace scalemark::analysis {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMinSizes = 5;
constexpr double kMaxResidual = 0.10;
/// Smallest latency that counts, relative to the time of the smallest size. Less is rounding error
/// of the fit.
constexpr double kMinLatency = 0.01;
/// The largest size must be at least this multiple of n1/2. At 2 n1/2, two thirds of the bandwidth
/// are reached.
constexpr double kReach = 2;
/// With more sizes than four times as many, large ones are left out several at a time.
constexpr std::size_t kMaxTries = 32;

bool is_time(const Metric& metric) {
  return metric.kind == MetricKind::duration && metric.unit == "s";
}

/// Fitted parameters: latency and bandwidth per regime, and each size where a regime ends.
double parameters_of(const stats::CostFit& fit) {
  return 3 * static_cast<double>(fit.regimes.size()) - 1;
}

/// Why the fit is not usable; empty if it is. `shortest`: time of the smallest size, s.
std::string problem_of(const MessageCost& cost, double shortest) {
  if (!(cost.residual <= kMaxResidual))
    return fmt::format("residuals of {:.0f} %", 100 * cost.residual);
  if (!std::isfinite(cost.fit.bandwidth())) return "the time does not grow with the size";
  if (!(cost.fit.latency() > kMinLatency * shortest))
    return "the latency is too small to fit at these sizes";
  if (cost.last_bytes < kReach * cost.fit.half_bandwidth_bytes())
    return "the largest size is too small to reach the bandwidth";
  return {};
}

/// The fit of the first `count` sizes, at least five.
std::optional<MessageCost> fitted(const stats::MessageCostFits& fits, std::size_t count,
                                  std::span<const double> bytes, std::span<const double> seconds) {
  MessageCost cost;
  cost.fit = fits.first(count);
  if (cost.fit.regimes.empty()) return std::nullopt;
  cost.last_bytes = bytes[count - 1];
  cost.left_out = bytes.size() - count;
  const auto sizes = static_cast<double>(count);
  cost.residual = cost.fit.relative_rms * std::sqrt(sizes / (sizes - parameters_of(cost.fit)));
  cost.problem = problem_of(cost, seconds.front());
  return cost;
}

}  // namespace

std::optional<double> operation_seconds(const CaseResult& result) {
  if (result.status != Status::ok) return std::nullopt;
  const Metric* primary = result.find(result.primary_metric);
  if (primary != nullptr && primary->kind == MetricKind::rate)
    primary = result.find(primary->source);
  double seconds = 0;
  if (primary != nullptr && is_time(*primary)) {
    seconds = median_of(result, *primary);
  } else {
    const Metric* bandwidth = result.find("bandwidth");
    const auto* bytes = result.params.find_as<std::int64_t>("bytes");
    if (bandwidth == nullptr || bandwidth->unit != "By/s" || bytes == nullptr) return std::nullopt;
    seconds = static_cast<double>(*bytes) / median_of(result, *bandwidth);
  }
  if (!std::isfinite(seconds) || seconds <= 0) return std::nullopt;
  return seconds;
}

std::optional<SweepCase> sweep_case(const CaseResult& result) {
  const auto* bytes = result.params.find_as<std::int64_t>("bytes");
  if (bytes == nullptr || *bytes < 1) return std::nullopt;
  const std::optional<double> seconds = operation_seconds(result);
  if (!seconds) return std::nullopt;
  SweepCase one;
  one.bytes = static_cast<double>(*bytes);
  one.seconds = *seconds;
  one.key = result.key;
  static const std::vector<AxisMap> kAnySize = {parse_axis_map("bytes=drop")};
  one.sweep = mapped_key(result.key, kAnySize, false);
  return one;
}

std::optional<MessageCost> message_cost(std::span<const double> bytes,
                                        std::span<const double> seconds) {
  if (bytes.size() < kMinSizes) return std::nullopt;
  const stats::MessageCostFits fits(bytes, seconds);
  const std::optional<MessageCost> all = fitted(fits, bytes.size(), bytes, seconds);
  if (!all || all->problem.empty()) return all;
  const std::size_t most = std::min(bytes.size() / 4, bytes.size() - kMinSizes);
  const std::size_t step = (most + kMaxTries - 1) / kMaxTries;
  for (std::size_t left_out = step; left_out <= most && step > 0; left_out += step) {
    std::optional<MessageCost> some = fitted(fits, bytes.size() - left_out, bytes, seconds);
    if (some && some->problem.empty()) return some;
  }
  return all;
}

std::vector<Sweep> sweeps_of(std::span<const SweepCase> cases) {
  std::vector<std::string> order;
  std::map<std::string, std::map<double, const SweepCase*>> sizes;
  for (const SweepCase& one : cases) {
    const auto [place, fresh] = sizes.try_emplace(one.sweep);
    if (fresh) order.push_back(one.sweep);
    place->second.emplace(one.bytes, &one);
  }
  std::vector<Sweep> sweeps;
  for (const std::string& name : order) {
    Sweep sweep{name, {}, {}};
    std::vector<double> bytes, seconds;
    for (const auto& [size, one] : sizes[name]) {
      bytes.push_back(size);
      seconds.push_back(one->seconds);
      sweep.keys.push_back(one->key);
    }
    std::optional<MessageCost> cost = message_cost(bytes, seconds);
    if (!cost) continue;
    sweep.cost = std::move(*cost);
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

std::vector<SweepCase> over_runs(std::span<const std::vector<SweepCase>> runs) {
  std::vector<SweepCase> cases;
  std::map<std::string, std::vector<double>> times;
  for (const std::vector<SweepCase>& run : runs) {
    std::set<std::string> seen;
    for (const SweepCase& one : run) {
      if (!seen.insert(one.key).second) continue;
      std::vector<double>& seconds = times[one.key];
      if (seconds.empty()) cases.push_back(one);
      seconds.push_back(one.seconds);
    }
  }
  for (SweepCase& one : cases) one.seconds = stats::median(times[one.key]);
  return cases;
}

std::string message_cost_text(const MessageCost& cost) {
  if (!cost.problem.empty()) return fmt::format("does not follow the model: {}", cost.problem);
  const std::size_t lines = cost.fit.regimes.size();
  return fmt::format(
      "latency {}, bandwidth {}, n1/2 {} (residuals {:.1f} %{}{})",
      units::seconds(cost.fit.latency()), units::quantity(cost.fit.bandwidth(), "By/s"),
      units::bytes(static_cast<std::uint64_t>(
          std::llround(std::min(cost.fit.half_bandwidth_bytes(), 1e18)))),
      100 * cost.residual, lines > 1 ? fmt::format(", {} protocols", lines) : "",
      cost.left_out > 0
          ? fmt::format("; up to {}, {} larger left out",
                        units::bytes(static_cast<std::uint64_t>(cost.last_bytes)), cost.left_out)
          : "");
}

void print_message_costs(const std::vector<Sweep>& sweeps, std::ostream& out) {
  if (!sweeps.empty()) out << "\nMessage costs, time = latency + bytes / bandwidth:\n";
  for (const Sweep& sweep : sweeps) {
    out << fmt::format("  {}\n      {}\n", text::printable(sweep.name, 400),
                       message_cost_text(sweep.cost));
  }
}

ordered_json message_cost_json(const Sweep& sweep) {
  const MessageCost& cost = sweep.cost;
  const bool follows = cost.problem.empty();
  const auto number = [&](double value) {
    return follows ? text::json_number(value) : ordered_json();
  };
  ordered_json regimes = ordered_json::array();
  for (const stats::CostRegime& regime : cost.fit.regimes) {
    if (!follows) break;
    regimes.push_back({{"first_bytes", text::json_number(regime.first_bytes)},
                       {"last_bytes", text::json_number(regime.last_bytes)},
                       {"latency", text::json_number(regime.latency)},
                       {"bandwidth", text::json_number(regime.bandwidth())}});
  }
  return {{"sweep", text::json_text(sweep.name)},
          {"follows_model", follows},
          {"problem", cost.problem},
          {"latency", number(cost.fit.latency())},
          {"bandwidth", number(cost.fit.bandwidth())},
          {"half_bandwidth_bytes", number(cost.fit.half_bandwidth_bytes())},
          {"last_bytes", number(cost.last_bytes)},
          {"left_out", cost.left_out},
          {"residual", text::json_number(cost.residual)},
          {"regimes", std::move(regimes)}};
}

}  // namespace scalemark::analysis
