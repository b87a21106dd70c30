// SPDX-License-Identifier: Apache-2.0
// The launcher of this job (mpirun), where it runs on this machine: its terminal and its command.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/cli/terminal.hpp"

namespace scalemark::cli {

struct Launcher {
  int pid = 0;
  std::vector<std::string> command;  ///< its words: mpirun -n 2 scalemark run ...
};

/// The nearest ancestor of this process that is a launcher of MPI; nothing where it runs elsewhere
/// (mpirun with rank 0 on another node, srun).
std::optional<Launcher> find_launcher();

/// What the launcher passes this process' output on to: its own descriptor of that number. No
/// terminal where it marks or saves the lines that it passes on.
Stream stream_of(const Launcher& launcher, int descriptor);

/// The words before the program, if `command` ends with the words of the program.
std::optional<std::vector<std::string>> words_before(std::span<const std::string> command,
                                                     std::span<const std::string> program);

/// The words of a command of `scalemark run` that goes on with `output`: with --resume, without
/// --force.
std::vector<std::string> resuming(std::vector<std::string> program, const std::string& output);

/// What to type to go on with a run: the launcher's command too, where it is known. Ready to be
/// printed.
std::string resume_hint(const std::vector<std::string>& program, const std::string& output,
                        int ranks);

}  // namespace scalemark::cli
