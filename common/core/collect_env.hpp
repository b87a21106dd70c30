// SPDX-License-Identifier: Apache-2.0
// The environment that a result was measured in, by allow-list.
#pragma once

#include <map>
#include <string>

#include "common/core/session.hpp"
#include "common/result/model.hpp"

namespace scalemark {

/// This node's facts: CPU, kernel, clocks, memory, libraries, and the allowed environment
/// variables. What cannot be read says "unavailable: reason". Needs no privileges; under a second.
std::map<std::string, std::string> collect_node_environment();

/// Collective. The environment of all nodes: common where equal, by node where not. On rank 0.
Environment collect_environment(const Session& session);

/// Whether a variable may be stored: a prefix of the allow-list, and no word that smells of a
/// secret.
bool may_store_variable(const std::string& name);

}  // namespace scalemark
