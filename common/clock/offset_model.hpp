// SPDX-License-Identifier: Apache-2.0
// From a local clock to the reference clock and back, by offsets that were measured now and then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace scalemark::clock {

/// One measured offset, in nanoseconds.
struct Anchor {
  std::int64_t local = 0;   ///< local clock when it was measured
  std::int64_t offset = 0;  ///< reference clock minus local clock
  std::int64_t error = 0;   ///< the offset is wrong by no more than this
};

/// The reference clock as a function of the local one: linear between anchors, so that stamps
/// taken between two measurements have at most the error of the worse of them (and what the drift
/// changed in between). Outside of the anchors it goes on with their drift where two of them tell
/// it, else with the offset of the nearest. The function never falls, so it can be inverted.
/// Members read from any thread while nobody adds.
class OffsetModel {
 public:
  /// Anchors beyond this number push out the oldest.
  static constexpr std::size_t kMaxAnchors = 1024;

  /// Adds an anchor later than all others. Of two neighbours one goes where it tells nothing: the
  /// less sure one, if the other knows its offset better even after 100 parts in a million of
  /// drift, or if the offsets differ by more than a quarter of the time between them, which no
  /// drift does. If not even the errors explain the difference, the clock has stepped: the new one
  /// stays.
  void add(Anchor anchor);

  /// Nanoseconds of the reference clock at `local`. Without anchors the two clocks are one.
  std::uint64_t to_global(std::uint64_t local) const;
  /// The inverse of to_global(), to a nanosecond or two.
  std::uint64_t to_local(std::uint64_t global) const;

  /// In order of time.
  std::span<const Anchor> anchors() const { return anchors_; }

 private:
  /// From an anchor on the offset changes by `drift`.
  struct Piece {
    Anchor from;
    double drift = 0;
  };
  /// The piece that `time` lies on, in the clock that `time_of` reads from an anchor.
  template <typename TimeOf>
  Piece piece_at(std::int64_t time, TimeOf time_of) const;

  std::vector<Anchor> anchors_;
  double drift_before_ = 0;  ///< of the offset, before the first anchor
  double drift_after_ = 0;   ///< and behind the last one
};

}  // namespace scalemark::clock
