// SPDX-License-Identifier: Apache-2.0
// Progressive filling (Bertsekas and Gallager, "Data Networks", 6.5.2), only where something
// changed.
#include "common/predict/shared_links.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace scalemark::predict {
namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();
constexpr double kSameRate = 1e-9;  ///< as kSameTime

}  // namespace

SharedLinks::SharedLinks(const Network& network, double fastest)
    : network_(network),
      fastest_(fastest),
      on_lane_(network.lanes()),
      lane_seen_(network.lanes(), 0),
      free_(network.lanes(), 0),
      users_(network.lanes(), 0) {}

std::size_t SharedLinks::add(std::vector<Lane> lanes, double bytes) {
  std::size_t number = flows_.size();
  if (unused_.empty()) {
    flows_.emplace_back();
  } else {
    number = unused_.back();
    unused_.pop_back();
  }
  Flow& flow = flows_[number];
  flow.lanes = std::move(lanes);
  flow.left = bytes;
  flow.rate = 0;
  for (const Lane lane : flow.lanes) on_lane_[lane].push_back(number);
  added_.push_back(number);
  return number;
}

void SharedLinks::visit_flow(std::size_t flow) {
  if (flows_[flow].seen == pass_) return;
  flows_[flow].seen = pass_;
  flows_here_.push_back(flow);
}

void SharedLinks::visit_lane(Lane lane) {
  if (lane_seen_[lane] == pass_) return;
  lane_seen_[lane] = pass_;
  lanes_here_.push_back(lane);
  free_[lane] = network_.bandwidth(lane);
  users_[lane] = static_cast<int>(on_lane_[lane].size());
}

void SharedLinks::collect() {
  ++pass_;
  flows_here_.clear();
  lanes_here_.clear();
  for (const std::size_t flow : added_) visit_flow(flow);
  for (const Lane lane : freed_) visit_lane(lane);
  added_.clear();
  freed_.clear();
  std::size_t flows_done = 0, lanes_done = 0;
  while (flows_done < flows_here_.size() || lanes_done < lanes_here_.size()) {
    if (flows_done < flows_here_.size()) {
      for (const Lane lane : flows_[flows_here_[flows_done++]].lanes) visit_lane(lane);
    } else {
      for (const std::size_t flow : on_lane_[lanes_here_[lanes_done++]]) visit_flow(flow);
    }
  }
}

void SharedLinks::set_rate(std::size_t number, double rate, double now) {
  Flow& flow = flows_[number];
  if (flow.rate == rate) return;
  if (flow.rate > 0) flow.left -= flow.rate * (now - flow.since);
  flow.rate = rate;
  flow.since = now;
  ++flow.version;
  ends_.push(end_of(number));
  // Where rates rise, outdated ends lie below those that count.
  if (ends_.size() > 4 * flows_.size() + 16) rebuild_ends();
}

SharedLinks::End SharedLinks::end_of(std::size_t number) const {
  const Flow& flow = flows_[number];
  return {flow.since + std::max(0.0, flow.left) / flow.rate, number, flow.version};
}

void SharedLinks::rebuild_ends() {
  std::vector<End> ends;
  for (std::size_t i = 0; i < flows_.size(); ++i)
    if (flows_[i].rate > 0) ends.push_back(end_of(i));
  ends_ = std::priority_queue<End>(std::less<End>(), std::move(ends));
}

void SharedLinks::share_rates(double now) {
  collect();
  std::vector<std::size_t>& open = flows_here_;
  while (!open.empty()) {
    double least = fastest_;
    for (const Lane lane : lanes_here_)
      if (users_[lane] > 0) least = std::min(least, free_[lane] / users_[lane]);
    // Which lanes are full must be known before any flow takes its rate.
    std::erase_if(lanes_here_, [&](Lane lane) { return users_[lane] == 0; });
    const auto full_from = std::partition(lanes_here_.begin(), lanes_here_.end(), [&](Lane lane) {
      return free_[lane] / users_[lane] > least * (1 + kSameRate);
    });
    ++pass_;
    for (auto lane = full_from; lane != lanes_here_.end(); ++lane) lane_seen_[*lane] = pass_;
    const auto fixed = [&](std::size_t number) {
      const std::vector<Lane>& lanes = flows_[number].lanes;
      const bool stops = least >= fastest_ || std::ranges::any_of(lanes, [&](Lane lane) {
                           return lane_seen_[lane] == pass_;
                         });
      if (!stops) return false;
      set_rate(number, least, now);
      for (const Lane lane : lanes) {
        free_[lane] = std::max(0.0, free_[lane] - least);
        --users_[lane];
      }
      return true;
    };
    std::erase_if(open, fixed);
  }
}

void SharedLinks::drop_outdated() {
  while (!ends_.empty() && ends_.top().version != flows_[ends_.top().flow].version) ends_.pop();
}

double SharedLinks::next_end() {
  drop_outdated();
  return ends_.empty() ? kNoEnd : ends_.top().time;
}

std::optional<std::size_t> SharedLinks::take_ended(double time) {
  if (next_end() > time * (1 + kSameTime)) return std::nullopt;
  const std::size_t number = ends_.top().flow;
  ends_.pop();
  Flow& flow = flows_[number];
  ++flow.version;
  flow.rate = 0;
  for (const Lane lane : flow.lanes) {
    std::erase(on_lane_[lane], number);
    freed_.push_back(lane);
  }
  unused_.push_back(number);
  return number;
}

}  // namespace scalemark::predict
