// SPDX-License-Identifier: Apache-2.0
// The messages of a step, and what of them is sent while the rank computes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/commands/predict_collective.hpp"
#include "common/cli/commands/predict_training_rows.hpp"

namespace scalemark::cli {

/// Messages of a step that are alike, and what the time of one is from.
struct StepMessage {
  std::string component, benchmark;
  std::int64_t count = 1;
  double bytes = 0;
  MessageTime time;  ///< of one

  double total() const { return static_cast<double>(count) * time.seconds; }
};

/// Seconds of the messages of a step on `ranks` that are sent while the rank computes, by the
/// moments of `from`. Nothing where those are not known. MPI moves on in its own calls only, so
/// that its messages hide nothing.
std::optional<double> hidden_seconds(const TrainingRows& rows, const MeasuredTraining& from,
                                     const std::vector<StepMessage>& messages, int ranks);

/// A collective of a step whose messages can be sent while the rank computes.
struct HiddenCollective {
  std::string name;    ///< "allreduce"
  double seconds = 0;  ///< of all its messages
  double bytes = 0;    ///< of the largest one
};

/// Those of FSDP's shards, or of DDP's gradients but for the last message. The one that takes
/// longest comes first.
std::vector<HiddenCollective> hidden_collectives(const std::vector<StepMessage>& messages);

}  // namespace scalemark::cli
