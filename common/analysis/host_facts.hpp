// SPDX-License-Identifier: Apache-2.0
// Facts of hosts and ranks, from the header of a run.
#pragma once

#include <string>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A fact of a host's environment; empty if the run has none of that name.
std::string fact_of(const Run& run, const std::string& host, const std::string& name);

/// PCI address of a rank's GPU, else its UUID; empty without one.
const std::string& gpu_of(const RankInfo& rank);

}  // namespace scalemark::analysis
