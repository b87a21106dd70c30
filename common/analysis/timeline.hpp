// SPDX-License-Identifier: Apache-2.0
// What each rank did when: epochs, steps, tests and pauses of a training.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// Name of the table with these times, and the kinds in its column `what`.
constexpr const char* kTimelineTable = "timeline";
constexpr const char* kEpochKind = "epoch";                   ///< without its test
constexpr const char* kStartPauseKind = "epoch_start_pause";  ///< until the first batch is there
constexpr const char* kTestKind = "test";
constexpr const char* kTestPauseKind =
    "test_pause";  ///< until the first batch of the test is there
constexpr const char* kStepKind = "step";

struct TimelineEntry {
  std::string what;
  std::uint64_t index = 0;               ///< which epoch or step, from 1
  std::uint64_t from = 0, duration = 0;  ///< ns; from: since the launch, on rank 0's clock
};

struct RankTimeline {
  std::uint64_t rank = 0;
  std::vector<TimelineEntry> entries;  ///< in the order of the file
};

/// The table of a case, by rank. Empty without the table, and where its columns are damaged.
std::vector<RankTimeline> timelines(const CaseResult& result);

/// "epoch 3", "step 12", "pause before epoch 3", "test after epoch 3", "pause before test 3".
std::string describe(const TimelineEntry& entry);

}  // namespace scalemark::analysis
