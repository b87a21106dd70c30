// SPDX-License-Identifier: Apache-2.0
// The command line program.
#pragma once

namespace scalemark::cli {

/// Parses the command line, runs the subcommand, prints errors to stderr. Returns the exit code. An
/// exception that leaves `run` on one rank of several ends the whole job.
int main(int argc, char** argv);

}  // namespace scalemark::cli
