// SPDX-License-Identifier: Apache-2.0
// The machine card: a short table of the hardware and software of the runs.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/html/extract.hpp"

namespace scalemark::html {

/// Runs shown together: one side of a comparison, or one system.
struct Side {
  std::string name;  ///< "A"; empty for the only side
  std::span<const RunExtract> runs;
};

/// Names and values for host, CPU, GPUs, network, MPI, program, date, ...; unknown ones are left
/// out.
std::vector<std::pair<std::string, std::string>> machine_lines(std::span<const RunExtract> runs);

/// The lines of all sides as one table; a value equal on all sides is printed once.
std::string machine_card(const std::vector<Side>& sides);

struct SideNames {
  std::string a, b;
};
/// "A (quiet, 2026-11-22)" and "B (busy, 2026-11-22)": folder and date. Host and revision are added
/// if the sides differ in them.
SideNames side_names(std::span<const RunExtract> a, std::span<const RunExtract> b);

}  // namespace scalemark::html
