// SPDX-License-Identifier: Apache-2.0
// Entry point of the command line program.
#pragma once

namespace scalemark::cli {

/// Parses the command line, runs the subcommand and prints errors to stderr. Returns the exit code.
/// An exception that leaves `run` on one of several ranks ends the whole job.
int main(int argc, char** argv);

/// Ends the process. Static destructors are left out where MPI allows it: LibTorch's unregister its
/// operators in 75 ms, a third of the time of `list`.
[[noreturn]] void leave(int code);

}  // namespace scalemark::cli
