// SPDX-License-Identifier: Apache-2.0
// Reads RAPL counters from /sys/class/powercap.
#include "common/hardware/sensors/rapl.hpp"

#include <fstream>
#include <string>

namespace scalemark::hardware {
namespace {

std::optional<std::uint64_t> counter_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

/// "intel-rapl:0" is a package (on AMD, too). "intel-rapl:0:0" is a part of that package, and
/// "intel-rapl-mmio:0" counts the same energy again.
bool is_package(const std::string& name) {
  const std::string prefix = "intel-rapl:";
  return name.starts_with(prefix) && name.find(':', prefix.size()) == std::string::npos;
}

}  // namespace

RaplEnergy::RaplEnergy(const std::filesystem::path& root) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root, error)) {
    const std::filesystem::path& folder = entry.path();
    std::string name;
    std::getline(std::ifstream(folder / "name"), name);
    // "psys" counts the whole board, including the packages.
    if (!is_package(folder.filename().string()) || !name.starts_with("package")) continue;
    const auto now = counter_in(folder / "energy_uj");
    const auto range = counter_in(folder / "max_energy_range_uj");
    if (now && range) packages_.push_back({folder / "energy_uj", *range, *now});
  }
}

std::optional<double> RaplEnergy::joules() {
  if (packages_.empty()) return std::nullopt;
  for (Package& package : packages_) {
    const auto now = counter_in(package.counter);
    if (!now) return std::nullopt;
    const std::uint64_t wrapped = *now < package.last ? package.range : 0;
    total_ += static_cast<double>(*now + wrapped - package.last);
    package.last = *now;
  }
  return total_ * 1e-6;
}

}  // namespace scalemark::hardware
