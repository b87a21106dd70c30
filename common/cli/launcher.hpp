// SPDX-License-Identifier: Apache-2.0
// Finds the MPI launcher of this job (mpirun) on this machine: its terminal and its command line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/cli/terminal.hpp"

namespace scalemark::cli {

struct Launcher {
  int pid = 0;
  std::vector<std::string> command;  ///< words of its command line: mpirun -n 2 scalemark run ...
};

/// The nearest ancestor of this process that is an MPI launcher. Empty if the launcher runs
/// elsewhere (mpirun with rank 0 on another node, srun).
std::optional<Launcher> find_launcher();

/// The stream to which the launcher forwards this process's output: its own descriptor of that
/// number. Not a terminal if the launcher prefixes or saves the lines that it forwards.
Stream stream_of(const Launcher& launcher, int descriptor);

/// The launcher's words in front of the program, if `command` ends with the words of `program`.
std::optional<std::vector<std::string>> words_before(std::span<const std::string> command,
                                                     std::span<const std::string> program);

/// The command line of `scalemark run` that resumes `output`: with --resume, without --force.
std::vector<std::string> resuming(std::vector<std::string> program, const std::string& output);

/// The command to type to resume a run, ready to print. It includes the launcher's part if that is
/// known.
std::string resume_hint(const std::vector<std::string>& program, const std::string& output,
                        int ranks);

}  // namespace scalemark::cli
