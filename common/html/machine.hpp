// SPDX-License-Identifier: Apache-2.0
// The machine card: what runs were made on, in the few lines that a reader asks for first.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/html/extract.hpp"

namespace scalemark::html {

/// Runs that belong together on a page: the one side of a comparison, or one system.
struct Side {
  std::string name;  ///< "A"; empty for the only side
  std::span<const RunExtract> runs;
};

/// Host, CPU, GPUs, network, MPI, program, date ... with their values; lines without one are left
/// out.
std::vector<std::pair<std::string, std::string>> machine_lines(std::span<const RunExtract> runs);

/// The lines of all sides as one table; what is equal on all sides stands there once.
std::string machine_card(const std::vector<Side>& sides);

struct SideNames {
  std::string a, b;
};
/// "A (quiet, 2026-11-22)" and "B (busy, 2026-11-22)": folder and date, and host and revision where
/// the sides differ in them.
SideNames side_names(std::span<const RunExtract> a, std::span<const RunExtract> b);

}  // namespace scalemark::html
