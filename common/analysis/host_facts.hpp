// SPDX-License-Identifier: Apache-2.0
// Facts of hosts, from the environment of a run.
#pragma once

#include <string>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A fact of a host's environment; empty if the run has none of that name.
std::string fact_of(const Run& run, const std::string& host, const std::string& name);

}  // namespace scalemark::analysis
