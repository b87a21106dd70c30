// SPDX-License-Identifier: Apache-2.0
// Named, typed dimensions of a benchmark.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/collective/types.hpp"
#include "common/result/point.hpp"

namespace scalemark {

/// Facts about the job that a plan needs; equal on all ranks.
struct PlanContext {
  int ranks = 1;
  int threads = 1;           ///< compute threads per rank: the fewest cores any rank is bound to
  bool cuda_usable = false;  ///< every rank has a CUDA device
  /// Whether MPI gets device memory as it is, by use (collective::DeviceUse).
  std::array<bool, collective::kDeviceUses.size()> direct = {};
};

struct Axis {
  enum class Type { integer, number, text, boolean };
  using Default = std::function<std::vector<Value>(const PlanContext&)>;

  std::string name;
  Type type = Type::text;
  std::vector<Value> allowed;  ///< text: all valid values
  std::int64_t minimum = 0;    ///< integer, number
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  Default defaults;
  std::vector<Value> quick;      ///< --quick; empty = first default
  std::optional<Value> implied;  ///< at this value the axis is left out of the key

  /// Values given on the command line or in a preset. Throws UsageError that names axis, value and
  /// what is allowed.
  std::vector<Value> parse(const std::string& text) const;
};

}  // namespace scalemark
