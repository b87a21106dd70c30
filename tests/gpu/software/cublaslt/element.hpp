// SPDX-License-Identifier: Apache-2.0
// Elements of matrices by cuBLASLt's types: their sizes, and their values as double.
#pragma once

#include <cstddef>

#include <library_types.h>

namespace scalemark::software_cublaslt {

/// Bits of an element; 0 for types that are not known here.
std::size_t bits_of(cudaDataType_t type);
/// The value of element `index`. fp8 is e4m3; fp4 is e2m1, two in a byte.
double load(const void* data, std::size_t index, cudaDataType_t type);
/// Writes the nearest value of the type. Results are never fp8 or fp4.
void store(void* data, std::size_t index, cudaDataType_t type, double value);

}  // namespace scalemark::software_cublaslt
