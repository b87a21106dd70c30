// SPDX-License-Identifier: Apache-2.0
// What Fsdp's collectives of a step moved and waited for, and when their data were needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "common/torch/parallel/flat_shard.hpp"
#include "common/torch/parallel/moment.hpp"

namespace scalemark::torch_support {

/// Traffic of collectives, counted when they start. Each rank receives (ranks - 1) / ranks of the
/// whole in an all-gather, and sends as much in a reduce-scatter. No algorithm needs more.
struct FsdpTraffic {
  std::uint64_t gathers = 0, gathered_bytes = 0, reductions = 0, reduced_bytes = 0;
  bool operator==(const FsdpTraffic&) const = default;
  FsdpTraffic& operator+=(const FsdpTraffic& other);
};

enum class ShardCollective { gather, reduction };

/// A collective of a step. Its moments are medians over steps, in seconds of computing (without
/// waits) after the step's first collective started.
struct ShardMessage {
  ShardCollective kind = ShardCollective::gather;
  std::int64_t bytes = 0;  ///< of the whole, over all ranks
  double started = 0;
  double needed = 0;  ///< when the rank waits for it
};

/// Communication of one step.
struct StepCommunication {
  /// ns that the host spent starting collectives and waiting for them. On a CPU this is
  /// communication that computation did not hide; with a GPU the host runs ahead and hardly waits.
  std::uint64_t exposed = 0;
  FsdpTraffic traffic;
};

/// Shared by the sharded models of a training.
class FsdpRecord {
 public:
  /// Keeps no moments on several GPUs, because those of a stream hold its waits, too.
  FsdpRecord(c10::Device device, int ranks);

  /// Starts a collective by `call`.
  Started start(ShardCollective kind, const std::function<Started()>& call);
  void wait(const Started& started);

  /// Ends a step, whose collectives have been waited for. On a GPU it waits for the last one.
  StepCommunication take_step();
  /// Forgets what was recorded since the last step.
  void discard();

  /// The collectives of the first step in the order in which they started; moments are of those of
  /// the first 100 steps that had the same ones. Empty where no moments are kept.
  std::vector<ShardMessage> messages() const;

 private:
  /// A moment, and the time that the host had waited by then.
  struct Computed {
    explicit Computed(c10::Device device) : at(device) {}
    Moment at;
    std::uint64_t exposed = 0;  ///< ns, on a CPU
  };
  /// A collective of this step.
  struct Noted {
    explicit Noted(c10::Device device) : started(device), needed(device) {}
    ShardCollective kind = ShardCollective::gather;
    std::int64_t bytes = 0;
    Computed started, needed;
  };
  /// One of the first step, and its moments in all steps that were like it.
  struct Timed {
    ShardCollective kind;
    std::int64_t bytes;
    std::vector<double> started, needed;
  };

  bool notes_moments() const;
  void note(Computed& moment) const;
  /// Seconds of computing from the start of the step's first collective.
  double computed(const Computed& moment) const;
  void collect();

  c10::Device device_;
  bool keeps_moments_;
  StepCommunication step_;
  std::deque<Noted> noted_;  ///< of the step that had most; a GPU's events are used again
  std::size_t count_ = 0;    ///< of this step
  std::vector<Timed> timed_;
  std::size_t steps_ = 0;
};

}  // namespace scalemark::torch_support
