// SPDX-License-Identifier: Apache-2.0
// Stopping a long case early, saving its state, and resuming it in a later run.
#pragma once

#include <optional>
#include <string>

#include "common/core/case/context.hpp"

namespace scalemark {

class CaseCheckpoint {
 public:
  explicit CaseCheckpoint(const CaseContext& context) : context_(context) {}

  /// State of a case: `shared` is taken from rank 0 only, `own` from each rank.
  struct State {
    std::string shared, own;
  };
  /// Scope in which signals that end the run are deferred until stop_requested(). For benchmarks
  /// that save a checkpoint of their iterations.
  class Stoppable {
   public:
    explicit Stoppable(const CaseCheckpoint& owner);
    ~Stoppable();
    Stoppable(const Stoppable&) = delete;
    Stoppable& operator=(const Stoppable&) = delete;

   private:
    const CaseCheckpoint& owner_;
  };

  /// Collective. True if any rank received a signal to stop: then call save() and throw
  /// StoppedEarly. Call it between steps, outside timed code: it also reads telemetry.
  bool stop_requested() const;
  /// Collective. Stores the checkpoint until the case is finished.
  void save(const State& state) const;
  /// Collective. The checkpoint from which a resumed run continues this case, if there is one.
  std::optional<State> saved() const;

 private:
  const CaseContext& context_;
};

}  // namespace scalemark
