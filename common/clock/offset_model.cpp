// SPDX-License-Identifier: Apache-2.0
// Clock offsets between, before and after measured anchors.
#include "common/clock/offset_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>

namespace scalemark::clock {
namespace {

/// Maximum and usual drift between two clocks. `tick` of adjtimex(2) can make each clock 10 % fast
/// or slow; crystals are off by at most about 50 ppm each.
constexpr double kMaxDrift = 0.25;
constexpr double kCrystals = 100e-6;
/// Requirements for a drift to be used: anchors at least half a second apart, and an error of at
/// most 20 ppm. A less certain drift would be no better than none.
constexpr std::int64_t kDriftBase = 500'000'000;
constexpr double kDriftError = 20e-6;

double slope_of(const Anchor& a, const Anchor& b) {
  return static_cast<double>(b.offset - a.offset) / static_cast<double>(b.local - a.local);
}

/// Drift between two anchors; nothing if they are too close together or too uncertain.
std::optional<double> known_drift(const Anchor& a, const Anchor& b) {
  const std::int64_t apart = std::abs(b.local - a.local);
  if (apart < kDriftBase) return std::nullopt;
  if (static_cast<double>(a.error + b.error) > kDriftError * static_cast<double>(apart))
    return std::nullopt;
  return slope_of(a, b);
}

/// Drift between the first anchor of [begin, end) and the nearest one that gives a known drift; 0
/// if none does.
template <typename Iterator>
double drift_from(Iterator begin, Iterator end) {
  for (Iterator other = std::next(begin); other != end; ++other) {
    if (const std::optional<double> drift = known_drift(*begin, *other)) return *drift;
  }
  return 0;
}

/// Whether `by` knows the offset better than `anchor`, even after drifting for the time between
/// them.
bool outdone(const Anchor& anchor, const Anchor& by) {
  const auto apart = static_cast<double>(std::abs(anchor.local - by.local));
  return static_cast<double>(anchor.error - by.error) > kCrystals * apart;
}

}  // namespace

void OffsetModel::add(Anchor anchor) {
  while (!anchors_.empty()) {
    const Anchor& last = anchors_.back();
    const double possible = kMaxDrift * static_cast<double>(anchor.local - last.local);
    const auto change = static_cast<double>(std::abs(anchor.offset - last.offset));
    const bool contradicts = possible <= 0 || change > possible;
    const bool stepped = change > possible + static_cast<double>(last.error + anchor.error);
    if (!stepped) {
      if (outdone(anchor, last) || (contradicts && last.error <= anchor.error)) return;
      if (!contradicts && !outdone(last, anchor)) break;
    }
    anchors_.pop_back();
  }
  if (anchors_.size() == kMaxAnchors) anchors_.erase(anchors_.begin());
  anchors_.push_back(anchor);
  drift_before_ = drift_from(anchors_.begin(), anchors_.end());
  drift_after_ = drift_from(anchors_.rbegin(), anchors_.rend());
}

template <typename TimeOf>
OffsetModel::Piece OffsetModel::piece_at(std::int64_t time, TimeOf time_of) const {
  const auto next = std::ranges::upper_bound(anchors_, time, {}, time_of);
  if (next == anchors_.begin()) return {*next, drift_before_};
  if (next == anchors_.end()) return {anchors_.back(), drift_after_};
  return {*std::prev(next), slope_of(*std::prev(next), *next)};
}

std::uint64_t OffsetModel::to_global(std::uint64_t local) const {
  if (anchors_.empty()) return local;
  const auto time = static_cast<std::int64_t>(local);
  const Piece piece = piece_at(time, [](const Anchor& anchor) { return anchor.local; });
  const auto since = static_cast<double>(time - piece.from.local);
  return static_cast<std::uint64_t>(time + piece.from.offset + std::llround(piece.drift * since));
}

std::uint64_t OffsetModel::to_local(std::uint64_t global) const {
  if (anchors_.empty()) return global;
  const auto time = static_cast<std::int64_t>(global);
  const auto global_of = [](const Anchor& anchor) { return anchor.local + anchor.offset; };
  const Piece piece = piece_at(time, global_of);
  // global = local + offset + drift * since, with since = (global - anchor's global) / (1 + drift)
  const auto since = static_cast<double>(time - global_of(piece.from)) / (1 + piece.drift);
  return static_cast<std::uint64_t>(time - piece.from.offset - std::llround(piece.drift * since));
}

}  // namespace scalemark::clock
