// SPDX-License-Identifier: Apache-2.0
// Results that were measured on the software GPU of our tests: their times mean nothing.
#pragma once

#include "common/result/model.hpp"

namespace scalemark {

/// The model's name of the software GPU (docs/internals/software-gpu.md).
inline constexpr char kSoftwareGpu[] = "Scalemark software GPU";

/// Whether a rank of the run had the software GPU.
bool is_on_software_gpu(const Run& run);

/// Throws InputError if a rank of the run had the software GPU: its times must not be compared,
/// reported or exported.
void refuse_software_gpu(const Run& run);

}  // namespace scalemark
