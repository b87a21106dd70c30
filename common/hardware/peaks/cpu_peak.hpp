// SPDX-License-Identifier: Apache-2.0
// Peak arithmetic rate of a CPU core at its maximum clock.
#pragma once

#include <filesystem>
#include <string_view>

#include "common/hardware/peaks/peak.hpp"

namespace scalemark::hardware {

/// Maximum clock of this machine's cores in Hz, from cpufreq in /sys below `root`. Unknown if the
/// cpufreq driver may leave out boost clocks. Never throws.
Peak highest_clock(const std::filesystem::path& root = "/");

/// Peak rate of one core in flop/s, in `precision` (fp64, fp32, bf16, fp16). With multiply-add
/// units: number of units x numbers per vector register x 2 x `clock`. With a matrix unit for the
/// precision (AMX): its rate at `clock`. It is an upper bound, because few CPUs hold the maximum
/// clock under such load. `cpuinfo`: text of /proc/cpuinfo, of which the first processor counts.
/// Unknown for a CPU model that is not in the table, for a virtual machine, and if `clock` is
/// unknown.
Peak core_flops(std::string_view cpuinfo, const Peak& clock, std::string_view precision);

/// core_flops() of this machine.
Peak read_core_flops(std::string_view precision, const std::filesystem::path& root = "/");

}  // namespace scalemark::hardware
