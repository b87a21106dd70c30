// SPDX-License-Identifier: Apache-2.0
// Checks the launch of a kernel from nvcc's sources.
#pragma once

namespace scalemark::device {

/// check(cudaGetLastError()) with the kernel's name in the text. A header of its own: nvcc 13.0
/// aborts at the default argument of check().
void check_launch(const char* kernel);

}  // namespace scalemark::device
