// SPDX-License-Identifier: Apache-2.0
// The time of an operation that was not measured itself, from measured ones of its family.
#pragma once

#include <algorithm>
#include <map>
#include <optional>

namespace scalemark::predict {

/// Time at `size`, from times of the same operation at other sizes, by size: on the straight line
/// between the logarithms of the two that enclose it. Empty outside of the measured sizes, and for
/// sizes or times that are not positive.
std::optional<double> interpolated(const std::map<double, double>& seconds, double size);

/// What a machine reaches: rates, by the work of the call that was measured.
struct Roofs {
  std::map<double, double> flops;  ///< flop/s, by flop
  std::map<double, double> bytes;  ///< bytes/s, by bytes
};

/// What arithmetic and memory take by themselves: s. 0: none is stated.
struct RooflineTimes {
  double products = 0, memory = 0;
  /// That of a call (Williams, Waterman, Patterson, "Roofline", CACM 2009).
  double longer() const { return std::max(products, memory); }
};

/// What `flops` and `bytes` take at the rates measured for so much work: between them as
/// interpolated(), beyond them that of the nearest. 0 flops or bytes are not stated. Empty if a
/// rate is missing, or nothing is stated.
std::optional<RooflineTimes> roofline_times(const Roofs& roofs, double flops, double bytes);

}  // namespace scalemark::predict
