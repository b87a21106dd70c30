// SPDX-License-Identifier: Apache-2.0
// Kernels by name, and what the host runs for them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace scalemark::software_gpu {

using Work = std::function<void()>;

struct Launch {
  std::size_t threads;  ///< of the whole grid
  int device;
};

/// Makes the work of a launch from the addresses of its arguments, which it copies.
using Prepare = std::function<Work(const Launch& launch, void** arguments)>;

/// A kernel that a program has registered.
struct Kernel {
  std::string name;  ///< as a programmer writes it: "copy_kernel<uint4>"
  Prepare prepare;   ///< empty if there is no host code for it
};

/// Adds the code for the kernels of this name.
void add_kernel(const std::string& name, const Prepare& prepare);

/// The kernel of a mangled name.
Kernel kernel_of(const char* mangled);

}  // namespace scalemark::software_gpu
