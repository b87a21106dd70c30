// SPDX-License-Identifier: Apache-2.0
// Which system calls the child process that reads untrusted files may make.
#pragma once

namespace scalemark::store {

/// Closes all descriptors but 0 to 2 and `sink`. From then on this process may read files, take
/// memory, write to these descriptors, and end; it can gain no privileges. Everything else fails
/// with EPERM: files for writing, processes, signals to others, the network (Linux seccomp).
/// Returns false where filters_system_calls() is false, or the kernel has no such filter: then only
/// the limits of the process hold.
bool allow_only_reading(int sink);

/// Whether this build filters system calls: on x86-64 and 64-bit Arm, without sanitizers, which
/// need pipes for each exception.
bool filters_system_calls();

}  // namespace scalemark::store
