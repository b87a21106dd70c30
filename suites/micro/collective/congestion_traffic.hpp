// SPDX-License-Identifier: Apache-2.0
// What the two groups of ranks of a congested job send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/collective/communicator.hpp"
#include "common/collective/one_sided.hpp"
#include "common/core/case.hpp"
#include "suites/micro/collective/collective_point.hpp"

namespace scalemark::micro {

/// Values of axes `victim` and `congestor`.
const std::vector<std::string>& victim_patterns();
const std::vector<std::string>& congestor_patterns();
/// The patterns that a value of axis `congestor` stands for: itself, or, for mixed, those of
/// GPCNeT's network_load_test.
std::vector<std::string> congestors_of(const std::string& congestor);

/// Whether the ranks of a pattern access the memory of the group's first rank, which does nothing.
bool is_one_sided(const std::string& pattern);
/// That memory: a window of all ranks of the case, and the first rank's number there.
struct SharedMemory {
  collective::OneSided* window = nullptr;
  int rank = 0;
};

/// Traffic of one group, prepared, with its buffers. In a ring each rank sends to the next one, and
/// receives from the one before. Incast: all send to the group's first rank at once. Broadcast: it
/// sends to all, message by message. put_incast and get_broadcast: all others write to its memory,
/// or read from it. `bytes` is a message, or what OSU calls the size.
class GroupTraffic {
 public:
  /// Collective over the group; all ranks of the case must construct theirs. `memory` is for
  /// one-sided patterns.
  GroupTraffic(Case& c, collective::Communicator& group, const std::string& pattern,
               std::size_t bytes, SharedMemory memory = {});

  /// What every member of the group runs.
  collective::Operation& operation() { return *operation_; }
  /// Of victims only: writes the data of a round, and checks what arrived.
  void fill(int round);
  Case::Checked check(int round);

 private:
  std::vector<collective::Transfer> transfers(const std::string& pattern, std::size_t bytes) const;
  std::unique_ptr<collective::Operation> access_to(SharedMemory memory, bool puts);

  Case& c_;
  collective::Communicator& group_;
  std::size_t bytes_;
  device::Buffer in_, out_;             ///< of messages
  std::optional<CollectiveData> data_;  ///< of collectives
  std::unique_ptr<collective::Operation> operation_;
};

/// Bytes of buffers on the rank that needs most.
std::uint64_t traffic_bytes(const std::string& pattern, std::size_t bytes, int ranks);

}  // namespace scalemark::micro
