// SPDX-License-Identifier: Apache-2.0
// What the data sheets of GPUs promise.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "common/hardware/peaks/peak.hpp"

namespace scalemark {

constexpr std::array<std::string_view, 7> kPrecisions = {"fp64", "fp32", "tf32", "bf16",
                                                         "fp16", "fp8",  "fp4"};

/// flop/s of a GPU that calls itself `model`, dense, with the tensor cores where they compute in
/// that precision; a reason where nobody looked the model up.
hardware::Peak sheet_flops(const std::string& model, std::string_view precision);

/// B/s of its memory.
hardware::Peak sheet_memory(const std::string& model);

}  // namespace scalemark
