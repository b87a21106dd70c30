// SPDX-License-Identifier: Apache-2.0
// Reporting phases and progress.
#include "common/core/case/progress.hpp"

#include <algorithm>
#include <exception>

#include "common/base/clock.hpp"
#include "common/core/session.hpp"

namespace scalemark {

CaseProgress::~CaseProgress() { stop_waiting(); }

void CaseProgress::stop_waiting() { context_.session.watchdog().while_waiting({}); }

void CaseProgress::communicates_by(collective::Communicator& communicator) {
  if (std::ranges::count(communicators_, &communicator) > 0) return;
  communicators_.push_back(&communicator);
  context_.session.watchdog().while_waiting([all = communicators_] {
    for (collective::Communicator* one : all) one->look_for_failures();
  });
}

bool CaseProgress::free_peers() {
  const auto can = [](const collective::Communicator* one) { return one->can_free_peers(); };
  if (communicators_.empty() || !std::ranges::all_of(communicators_, can)) return false;
  for (collective::Communicator* one : communicators_) one->free_peers();
  has_freed_peers_ = true;
  return true;
}

void CaseProgress::phase(std::string_view name) {
  Session& session = context_.session;
  context_.result.phase = name;
  times_.enter(name, now_ns() - session.telemetry().epoch());
  session.watchdog().enter_phase(name);
  if (session.on_phase) session.on_phase(context_.result);
}

void CaseProgress::report() { context_.session.watchdog().report_progress(); }

Table CaseProgress::phase_table() const {
  return times_.table(now_ns() - context_.session.telemetry().epoch());
}

CaseProgress::Communicating::Communicating(CaseProgress& owner, bool waits)
    : owner_(owner), before_(owner.communicating_) {
  // In rank-local work no rank waits for another: a failure there is agreed on as anywhere else.
  const CaseContext& context = owner_.context_;
  owner_.communicating_ = context.ranks().size() > 1 && (before_ || waits || !context.rank_local);
}

CaseProgress::Communicating::~Communicating() {
  // An exception leaves the flag as it is: the runner must see where the exception came from.
  if (std::uncaught_exceptions() == 0) owner_.communicating_ = before_;
}

}  // namespace scalemark
