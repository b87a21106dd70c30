// SPDX-License-Identifier: Apache-2.0
// A hash over the bits of tensors, to prove that ranks hold the same parameters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/mpi/comm.hpp"

namespace scalemark::torch_support {

/// 64-bit hash over all bits of all tensors in logical (row-major) order, whatever their memory
/// layout and device. Any single changed bit changes it. `before`: the hash of preceding tensors,
/// to continue from.
std::uint64_t fingerprint(const std::vector<at::Tensor>& tensors, std::uint64_t before = 0);

/// 16 hexadecimal digits.
std::string to_hex(std::uint64_t hash);

/// Collective. Whether `value` is equal on all ranks.
bool equal_on_all_ranks(const mpi::Comm& ranks, std::uint64_t value);

}  // namespace scalemark::torch_support
