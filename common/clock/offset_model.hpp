// SPDX-License-Identifier: Apache-2.0
// Converts between a local clock and the reference clock, from offsets measured now and then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace scalemark::clock {

/// One measured offset between the clocks, in ns.
struct Anchor {
  std::int64_t local = 0;   ///< local clock at the measurement
  std::int64_t offset = 0;  ///< reference clock - local clock
  std::int64_t error = 0;   ///< upper bound of the offset's error
};

/// The reference clock as a piecewise linear function of the local clock.
/// - Between two anchors it interpolates. The error is at most that of the worse anchor, plus
///   changes of the drift in between.
/// - Outside of the anchors it extrapolates with their drift if that is known, otherwise with the
///   offset of the nearest anchor.
/// The function never decreases, so it can be inverted. Reading is thread-safe while no anchor is
/// added.
class OffsetModel {
 public:
  /// If there are more anchors, the oldest is removed.
  static constexpr std::size_t kMaxAnchors = 1024;

  /// Adds an anchor that is later than all others. Of two neighbouring anchors, the less certain
  /// one is removed in two cases:
  /// - The other knows its offset better even after 100 ppm of drift.
  /// - The offsets differ by more than a quarter of the time between them, which no drift explains.
  /// If even the anchors' errors do not explain the difference, the clock was stepped, and the new
  /// anchor replaces the old one.
  void add(Anchor anchor);

  /// Reference clock in ns at `local` (ns). Without anchors both clocks are equal.
  std::uint64_t to_global(std::uint64_t local) const;
  /// The inverse of to_global(), accurate to 1 or 2 ns.
  std::uint64_t to_local(std::uint64_t global) const;

  /// In order of time.
  std::span<const Anchor> anchors() const { return anchors_; }

 private:
  /// From an anchor on, the offset changes by `drift` (ns per ns).
  struct Piece {
    Anchor from;
    double drift = 0;
  };
  /// The piece that contains `time`; `time_of` gives an anchor's time on the same clock.
  template <typename TimeOf>
  Piece piece_at(std::int64_t time, TimeOf time_of) const;

  std::vector<Anchor> anchors_;
  double drift_before_ = 0;  ///< drift before the first anchor
  double drift_after_ = 0;   ///< drift after the last anchor
};

}  // namespace scalemark::clock
