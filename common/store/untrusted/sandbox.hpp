// SPDX-License-Identifier: Apache-2.0
// A child process of little memory and time for reading what may have been made to do harm.
#pragma once

#include <cstdint>
#include <functional>

#include "common/store/untrusted/message.hpp"

namespace scalemark::store {

struct SandboxLimits {
  std::uint64_t memory = 0;       ///< bytes of address space beyond what the process has already
  std::uint64_t cpu_seconds = 0;  ///< of processor time
  std::uint64_t sent = 0;         ///< bytes that may come back
  int silent_seconds = 300;       ///< of waiting for the next of them
};

/// What a file of that size can need, by the bounds of TreeLimits: under 512 MiB up to 1 MiB, 3.4
/// GiB at most.
SandboxLimits limits_for(std::uint64_t file_size);

/// Calls `produce` in a child process and `consume` here, with what it sends. The child cannot
/// write files, prints nothing, and ends with this process. An exception of `produce` ends as a
/// refusal in the stream. Throws InputError if the child ends before `consume` is done: crashed, or
/// beyond its limits. Not for a process that has initialised MPI or has other threads.
///
/// Address space is limited to what there is plus `memory`, since the libraries of this program
/// alone map gigabytes, and the sanitizers' shadow terabytes; so it works with them, too.
void run_apart(const SandboxLimits& limits, const std::function<void(const SendBytes&)>& produce,
               const std::function<void(const ReceiveBytes&)>& consume);

}  // namespace scalemark::store
