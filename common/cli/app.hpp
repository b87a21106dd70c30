// SPDX-License-Identifier: Apache-2.0
// Entry point of the command line program.
#pragma once

namespace scalemark::cli {

/// Parses the command line, runs the subcommand and prints errors to stderr. Returns the exit code.
/// An exception that leaves `run` on one of several ranks ends the whole job.
int main(int argc, char** argv);

}  // namespace scalemark::cli
