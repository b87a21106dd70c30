// SPDX-License-Identifier: Apache-2.0
// The shared libraries of this process.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace scalemark {

/// Files of all loaded libraries, links followed, sorted. Folders of the system (/usr, /lib, /opt)
/// are kept, any other becomes ".../": it may name a user or a project.
std::vector<std::string> loaded_libraries();

/// "library.mpi" -> "libmpi.so.40.30.4": of `files` those that shape timing (MPI, transports, GPU,
/// BLAS, OpenMP).
std::map<std::string, std::string> library_facts(const std::vector<std::string>& files);

/// The build id that the linker gave this program; what is missing is "unavailable: reason".
std::string program_build_id();

}  // namespace scalemark
