// SPDX-License-Identifier: Apache-2.0
// Finds what delays the steps of a training: input, messages, or a rank that computes longer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

enum class DelayKind : std::uint8_t { input, messages, rank };

/// "input", "messages", "rank"
std::string to_string(DelayKind kind);

/// What each step of a training waits for.
struct TrainingDelay {
  DelayKind kind = DelayKind::input;
  std::size_t rank = 0;  ///< DelayKind::rank: the one that the others wait for
  double seconds = 0;    ///< median over steps
  double fraction = 0;   ///< of the median step
};

/// What delays the steps of a training, largest first, from its durations of all ranks and steps:
/// - input: the longest `loader_wait` of all ranks, above 10 % of a step;
/// - messages: the shortest `exposed_communication_time` of all ranks, above 10 % of a step. The
///   rank that comes last waits for messages only, the others for that rank, too;
/// - rank: what remains of its step without both waits is longer than that of the other rank (of
///   more than two ranks: than the median over ranks), by more than 5 % of a step.
/// In each case the 95 % interval of the median must lie above the limit. Nothing below ten counted
/// steps. Trainings on GPUs do not record `exposed_communication_time`, so only input is found.
std::vector<TrainingDelay> training_delays(const CaseResult& result);

/// "waits for input 48.0 ms (32 %)", "rank 1 computes 20.0 ms (9 %) longer than others"
std::string delay_text(const TrainingDelay& delay);

}  // namespace scalemark::analysis
