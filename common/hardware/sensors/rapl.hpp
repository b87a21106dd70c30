// SPDX-License-Identifier: Apache-2.0
// The energy counters of CPU packages (RAPL) as Linux shows them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace scalemark::hardware {

/// Energy of all packages of this node since the object was made.
class RaplEnergy {
 public:
  /// `root`: /sys/class/powercap, or a test's. Never throws.
  explicit RaplEnergy(const std::filesystem::path& root = "/sys/class/powercap");
  /// Joules; nothing if there are no counters or this user may not read them (since Linux 5.10 that
  /// takes a privilege). Counters wrap within minutes to hours, so that it must be called at least
  /// as often; it is cheap.
  std::optional<double> joules();

 private:
  struct Package {
    std::filesystem::path counter;
    std::uint64_t range = 0;  ///< it wraps to 0 behind this, uJ
    std::uint64_t last = 0;
  };
  std::vector<Package> packages_;
  double total_ = 0;  ///< uJ
};

}  // namespace scalemark::hardware
