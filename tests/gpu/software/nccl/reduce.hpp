// SPDX-License-Identifier: Apache-2.0
// Types of elements, and how NCCL combines elements of several ranks.
#pragma once

#include <cstddef>
#include <span>

#include <nccl.h>

namespace scalemark::software_nccl {

/// Bytes of an element; 0 for a type that is not known here.
std::size_t size_of(ncclDataType_t type);

bool is_known(ncclRedOp_t op);

/// Combines `count` elements of each of `in`, in order, into `out`, which may be one of them. Each
/// step is rounded to the type, as in NCCL's kernels.
void reduce(std::span<const void* const> in, void* out, std::size_t count, ncclDataType_t type,
            ncclRedOp_t op);

}  // namespace scalemark::software_nccl
