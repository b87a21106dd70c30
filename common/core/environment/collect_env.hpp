// SPDX-License-Identifier: Apache-2.0
// The environment that a result was measured in, by allow-list.
#pragma once

#include <map>
#include <string>

#include "common/core/session.hpp"
#include "common/result/model.hpp"

namespace scalemark {

/// This node's facts: CPU, kernel, clocks, memory, libraries, and the allowed environment
/// variables, libraries. What cannot be read says "unavailable: reason". Needs no privileges; under
/// a second.
std::map<std::string, std::string> collect_node_environment();

/// Collective. Of all nodes, to rank 0's `run`: the environment (common where equal, by node where
/// not; raw: libraries, rank 0's) and machines, an hwloc description for each kind of node; fact
/// machine_kind says which is of which.
void collect_environment(const Session& session, Run& run);

/// Collective. Adds what changes during a run (changing_facts()) once more, as "end.NAME".
void collect_end(const Session& session, Environment& environment);

/// Environment variables, of those, that choose how MPI moves messages, as "env.NAME": UCX_*, FI_*,
/// and Open MPI's of components for messages. What a launcher sets for itself is not among them.
std::map<std::string, std::string> transport_variables();

}  // namespace scalemark
