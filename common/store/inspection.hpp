// SPDX-License-Identifier: Apache-2.0
// What child processes find in the parts of a run that is to be resumed.
#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <vector>

#include "common/store/damaged_parts.hpp"

namespace scalemark {

/// The parts of a run to be resumed, as child processes have read them.
struct Inspection {
  std::vector<store::PartState> parts;
  /// Why the header or a finished result, or the parts, could not be read; empty: they could.
  std::exception_ptr header_problem, parts_problem;
};

/// Reads the parts of a run to be resumed in child processes, which a process that has initialised
/// MPI must not start. Changes nothing, not even the lock. FileSink::begin() throws what was found,
/// and Error if the parts are others by then.
std::shared_ptr<const Inspection> inspect_for_resume(const std::filesystem::path& output);

}  // namespace scalemark
