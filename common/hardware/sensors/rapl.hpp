// SPDX-License-Identifier: Apache-2.0
// Energy counters of the CPU packages (RAPL), as Linux exports them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace scalemark::hardware {

/// Energy of all CPU packages of this node since the object was created.
class RaplEnergy {
 public:
  /// `root` replaces /sys/class/powercap in tests. Never throws.
  explicit RaplEnergy(const std::filesystem::path& root = "/sys/class/powercap");
  /// Energy in J; nothing if there are no counters or this user may not read them (since Linux 5.10
  /// that takes a privilege). A counter wraps within minutes to hours: call this at least that
  /// often.
  std::optional<double> joules();

 private:
  struct Package {
    std::filesystem::path counter;
    std::uint64_t range = 0;  ///< uJ; the counter wraps to 0 after this value
    std::uint64_t last = 0;
  };
  std::vector<Package> packages_;
  double total_ = 0;  ///< uJ
};

}  // namespace scalemark::hardware
