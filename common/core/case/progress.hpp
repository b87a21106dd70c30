// SPDX-License-Identifier: Apache-2.0
// Where a case stands: its phase, for the journal and the watchdog, and whether its ranks
// communicate.
#pragma once

#include <string_view>

#include "common/core/case/context.hpp"
#include "common/core/case/phase_times.hpp"

namespace scalemark {

class CaseProgress {
 public:
  explicit CaseProgress(const CaseContext& context) : context_(context) {}

  /// Names the current phase for the journal and the watchdog. Cheap, but not for inner loops.
  void phase(std::string_view name);
  /// Tells the watchdog that this rank makes progress. No communication, a few ns.
  void report();
  /// The start times of the phases as table `phases`; its last row is now, if the case failed.
  Table phase_table() const;

  /// True inside a Communicating scope that spans several ranks.
  bool is_communicating() const { return communicating_; }

  /// Scope in which ranks communicate. An exception on one rank cannot reach the others, which wait
  /// inside a collective: it ends the job and names the failed rank.
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
  bool communicating_ = false;
};

}  // namespace scalemark
