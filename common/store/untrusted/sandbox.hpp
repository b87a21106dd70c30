// SPDX-License-Identifier: Apache-2.0
// Reads untrusted files in a child process with limited memory and time.
#pragma once

#include <cstdint>
#include <functional>

#include "common/store/untrusted/message.hpp"

namespace scalemark::store {

struct SandboxLimits {
  /// bytes of address space in addition to what the process already uses
  std::uint64_t memory = 0;
  std::uint64_t cpu_seconds = 0;  ///< s of CPU time
  std::uint64_t sent = 0;         ///< maximum bytes that the child may send
  int silent_seconds = 300;       ///< maximum s without a byte from a child that does not compute
};

/// Limits for a file of that size, derived from TreeLimits: below 512 MiB of memory for files up to
/// 1 MiB, at most 3.4 GiB.
SandboxLimits limits_for(std::uint64_t file_size);

/// Runs `produce` in a child process, and `consume` here with what the child sends. The child may
/// read files and nothing else (allow_only_reading()), prints nothing, and ends when this process
/// ends. An exception in `produce` is sent as a refusal. Throws InputError if the child ends before
/// `consume` has finished, by a crash or by its limits, and NotRead if no child could be started,
/// the machine has no memory for it, or the child waits too long for the file system. Not for a
/// process that has initialised MPI or has other threads. The limit on address space is added to
/// what is already mapped: this program's libraries map gigabytes, and sanitizers map terabytes.
void run_apart(const SandboxLimits& limits, const std::function<void(const SendBytes&)>& produce,
               const std::function<void(const ReceiveBytes&)>& consume);

}  // namespace scalemark::store
