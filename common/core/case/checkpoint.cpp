// SPDX-License-Identifier: Apache-2.0
// Gathering and scattering checkpoints.
#include "common/core/case/checkpoint.hpp"

#include "common/core/session.hpp"

namespace scalemark {

CaseCheckpoint::Stoppable::Stoppable(const CaseCheckpoint& owner) : owner_(owner) {
  owner_.context_.session.watchdog().set_stoppable(true);
}

CaseCheckpoint::Stoppable::~Stoppable() { owner_.context_.session.watchdog().set_stoppable(false); }

bool CaseCheckpoint::stop_requested() const {
  Session& session = context_.session;
  session.telemetry().between_steps();
  return context_.ranks().max(session.watchdog().interrupt_requested() ? 1 : 0) == 1;
}

void CaseCheckpoint::save(const State& state) const {
  const CaseState all{state.shared, context_.ranks().gather(state.own)};
  if (context_.session.on_save) context_.session.on_save(context_.result, all);
}

std::optional<CaseCheckpoint::State> CaseCheckpoint::saved() const {
  const mpi::Comm& ranks = context_.ranks();
  std::optional<CaseState> all;
  if (context_.session.saved_state) all = context_.session.saved_state(context_.result);
  if (all && all->own.size() != static_cast<std::size_t>(ranks.size())) all.reset();
  if (ranks.max(all ? 1 : 0) == 0) return std::nullopt;
  if (!all) all.emplace();
  return State{ranks.broadcast(all->shared), ranks.scatter(all->own)};
}

}  // namespace scalemark
