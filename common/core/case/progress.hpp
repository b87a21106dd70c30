// SPDX-License-Identifier: Apache-2.0
// Where a case stands: its phase, for the journal and the watchdog, and whether its ranks
// communicate.
#pragma once

#include <string_view>
#include <vector>

#include "common/collective/communicator.hpp"
#include "common/core/case/context.hpp"
#include "common/core/case/phase_times.hpp"

namespace scalemark {

class CaseProgress {
 public:
  explicit CaseProgress(const CaseContext& context) : context_(context) {}
  ~CaseProgress();
  CaseProgress(const CaseProgress&) = delete;
  CaseProgress& operator=(const CaseProgress&) = delete;

  /// Names the current phase for the journal and the watchdog. Cheap, but not for inner loops.
  void phase(std::string_view name);
  /// Tells the watchdog that this rank makes progress. No communication, a few ns.
  void report();
  /// The start times of the phases as table `phases`; its last row is now, if the case failed.
  Table phase_table() const;

  /// True inside a Communicating scope that spans several ranks.
  bool is_communicating() const { return communicating_; }

  /// Ranks of this case may wait for each other in this communicator, too.
  void communicates_by(collective::Communicator& communicator);
  /// This rank failed: frees those that wait for it. False where that is not possible.
  bool free_peers();
  /// Whether it did.
  bool has_freed_peers() const { return has_freed_peers_; }
  /// This rank waits no longer in communicators, which may be destroyed from now on.
  void stop_waiting();

  /// Scope in which ranks communicate. After an exception on one rank the others wait inside a
  /// collective. If free_peers() cannot free them, the job ends and names the failed rank.
  class Communicating {
   public:
    /// `waits`: ranks wait for each other although the benchmark is rank-local.
    explicit Communicating(CaseProgress& owner, bool waits = false);
    ~Communicating();
    Communicating(const Communicating&) = delete;
    Communicating& operator=(const Communicating&) = delete;

   private:
    CaseProgress& owner_;
    bool before_;
  };

 private:
  const CaseContext& context_;
  PhaseTimes times_;
  bool communicating_ = false, has_freed_peers_ = false;
  std::vector<collective::Communicator*> communicators_;
};

}  // namespace scalemark
