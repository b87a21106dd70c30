// SPDX-License-Identifier: Apache-2.0
// What a CPU core can compute at its highest clock.
#pragma once

#include <filesystem>
#include <string_view>

#include "common/hardware/peaks/peak.hpp"

namespace scalemark::hardware {

/// Hertz that no core of this machine exceeds, from cpufreq in /sys below `root`; nothing but a
/// reason where its driver may not count the clocks above the nominal one. Never throws.
Peak highest_clock(const std::filesystem::path& root = "/");

/// flop/s of one core in `precision` (fp64, fp32, bf16, fp16): units for multiply-add x numbers in
/// one of their registers x 2 x `clock`, or of its matrix unit where that computes in the
/// precision. An upper bound: under such load few keep the highest clock. `cpuinfo`: the text of
/// /proc/cpuinfo, whose first processor is taken for all. The units are those that makers and
/// WikiChip name for models that are known, never a guess.
Peak core_flops(std::string_view cpuinfo, const Peak& clock, std::string_view precision);

/// Of a core of this machine.
Peak read_core_flops(std::string_view precision, const std::filesystem::path& root = "/");

}  // namespace scalemark::hardware
