// SPDX-License-Identifier: Apache-2.0
// Elements of matrices by cuBLASLt's types: their sizes, and their values as double.
#pragma once

#include <cstddef>

#include <library_types.h>

namespace scalemark::software_cublaslt {

/// Bytes of an element; 0 for types that are not known here.
std::size_t size_of(cudaDataType_t type);
/// The value of element `index`. fp8 is e4m3.
double load(const void* data, std::size_t index, cudaDataType_t type);
/// Writes the nearest value of the type. Results are never fp8.
void store(void* data, std::size_t index, cudaDataType_t type, double value);

}  // namespace scalemark::software_cublaslt
