// SPDX-License-Identifier: Apache-2.0
// Commands that measure the messages that a predicted training step lacks.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "common/cli/commands/predict_collective.hpp"

namespace scalemark::cli {

/// Sizes in bytes without rows, by collective.
using MissingSizes = std::map<CollectiveName, std::set<std::int64_t>>;

/// Prints on standard error, so that JSON stays JSON, what measures them. `where` says more of what
/// is missing (" in the files of --machine"), or is empty.
void print_missing_messages(const std::string& subcommand, const MissingSizes& missing,
                            const std::string& where);

}  // namespace scalemark::cli
