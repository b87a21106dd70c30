// SPDX-License-Identifier: Apache-2.0
// The loop over the cases of a run, and what happens to each.
#include "common/core/runner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/units.hpp"
#include "common/collective/interruption.hpp"
#include "common/core/case.hpp"
#include "common/mpi/environment.hpp"
#include "common/mpi/typed.hpp"

namespace scalemark {
namespace {

/// The exception being handled, as a failure that the ranks can agree on.
PeerFailed classify() {
  try {
    throw;
  } catch (const Skip& skip) {
    return {Failure::skip, -1, skip.reason};
  } catch (const Unavailable& error) {
    return {Failure::unavailable, -1, error.what()};
  } catch (const OutOfMemory& error) {
    return {Failure::oom, -1, error.what()};
  } catch (const std::bad_alloc&) {
    return {Failure::oom, -1, "out of host memory"};
  } catch (const WrongData& error) {
    return {Failure::wrong_data, -1, error.what()};
  } catch (const std::exception& error) {
    return {Failure::failed, -1, error.what()};
  }
}

/// The reason of a row. It names the failed rank, except where the reason holds for all ranks.
std::string reason_of(const PeerFailed& failed) {
  if (failed.failure == Failure::skip || failed.failure == Failure::unavailable) return failed.text;
  return fmt::format("rank {}: {}", failed.rank, failed.text);
}

/// Throws OutOfMemory if `bytes` exceed one share of the free memory, divided among `sharers`.
void require_memory(device::Device& device, int sharers, std::uint64_t bytes, const char* where) {
  const std::size_t free = device.free_memory() / static_cast<std::size_t>(sharers);
  if (bytes <= free) return;
  throw OutOfMemory(fmt::format("needs {} per rank, {} are free{}", units::bytes(bytes),
                                units::bytes(free), where));
}

/// Collective over `world`. Each flag, true if it is true on any rank.
template <std::size_t n>
std::array<bool, n> any_rank(const mpi::Comm& world, const std::array<bool, n>& mine) {
  std::array<std::int64_t, n> numbers = {};
  std::ranges::copy(mine, numbers.begin());
  world.max(numbers);
  std::array<bool, n> any = {};
  std::ranges::transform(numbers, any.begin(), [](std::int64_t number) { return number == 1; });
  return any;
}

}  // namespace

void RunOutcome::count(const CaseResult& result, bool wrong) {
  switch (result.status) {
    case Status::ok:
      ++ok;
      break;
    case Status::skipped:
      ++skipped;
      break;
    case Status::failed:
      ++failed;
      break;
    case Status::oom:
      ++oom;
      break;
    case Status::timeout:
      ++timeout;
      break;
  }
  if (wrong) ++wrong_data;
}

int RunOutcome::exit_code() const {
  if (failed > wrong_data || timeout > 0 || interrupted) return static_cast<int>(ExitCode::failed);
  if (wrong_data > 0) return static_cast<int>(ExitCode::wrong_data);
  if (ok + resumed == 0) return static_cast<int>(ExitCode::nothing);
  return static_cast<int>(ExitCode::ok);
}

Runner::Runner(Session& session, ResultSink& sink, RunnerOptions options)
    : session_(session), sink_(sink), options_(std::move(options)) {}

RunOutcome Runner::run(const std::vector<PlannedCase>& plan) {
  RunOutcome outcome;
  start_ = now_ns();
  if (is_root()) {
    session_.on_phase = [this](const CaseResult& current) { sink_.phase(current); };
    session_.on_save = [this](const CaseResult& current, const CaseState& state) {
      sink_.save(current, state);
    };
    session_.saved_state = options_.saved_state;
  }
  for (const Visit& visit : visits_of(plan, outcome)) {
    // A case that did not end ok in an earlier sweep.
    if (rows_[visit.index] != RowState::open) continue;
    if (!measure(plan[visit.index], visit, outcome)) break;
  }
  show_rows(true);
  session_.on_phase = nullptr;
  session_.on_save = nullptr;
  session_.saved_state = nullptr;
  return outcome;
}

Runner::Next Runner::agree_on_next() {
  const double elapsed = static_cast<double>(now_ns() - start_) * 1e-9;
  const bool over = options_.budget && elapsed >= *options_.budget;
  // One rank's signal or clock decides for all.
  const auto [any_stops, any_is_over, any_clock_is_old] = any_rank<3>(
      session_.world(), {session_.watchdog().stop_requested(), over, session_.clock_is_old()});
  if (any_clock_is_old) session_.sync_clock();
  if (any_stops) return Next::stop;
  return any_is_over ? Next::skip : Next::run;
}

bool Runner::measure(const PlannedCase& planned, const Visit& visit, RunOutcome& outcome) {
  wrong_data_ = stopped_early_ = false;
  const Next next = agree_on_next();
  if (next == Next::stop) {
    outcome.stopped = true;
    return false;
  }
  CaseResult result;
  result.index = visit.index;
  result.name = planned.benchmark->name();
  result.params = planned.params;
  result.key = planned.key;
  result.config_hash = planned.config_hash;
  result.started = utc_now();
  if (next == Next::run) {
    inner_ = inner_before(visit);
    run_case(planned, result);
  } else if (visit.sweep > 0) {
    // The row keeps the samples of earlier sweeps.
    finish(result, outcome);
    return true;
  } else {
    result.status = Status::skipped;
    result.reason = fmt::format("the time budget of {} is used up (--budget)",
                                units::seconds(*options_.budget));
  }
  if (stopped_early_) {
    outcome.stopped = outcome.interrupted = true;
    return false;
  }
  result.stopped = utc_now();
  if (options_.sweeps > 1) {
    keep(planned, visit, std::move(result), outcome);
  } else {
    outcome.count(result, wrong_data_);
    if (is_root()) sink_.add(result);
  }
  return true;
}

void Runner::run_case(const PlannedCase& planned, CaseResult& result) {
  const int world = session_.world().size();
  const auto wanted = planned.params.integer("ranks");
  if (!planned.benchmark->why_unavailable().empty()) {
    result.status = Status::skipped;
    result.reason = planned.benchmark->why_unavailable();
    return;
  }
  if (wanted < planned.benchmark->minimum_ranks()) {
    result.status = Status::skipped;
    result.reason = fmt::format("needs at least {} ranks", planned.benchmark->minimum_ranks());
    return;
  }
  const std::string where = planned.params.text("span", "any");
  const RankGroup& group = session_.group(where, static_cast<int>(wanted));
  if (static_cast<std::int64_t>(group.world_ranks.size()) < wanted) {
    result.status = Status::skipped;
    result.reason =
        why_too_few(where, static_cast<int>(wanted), static_cast<int>(group.world_ranks.size()));
    return;
  }
  result.predicted_memory = planned.benchmark->memory_for(planned.params);
  session_.watchdog().enter_case(planned.key);
  if (is_root()) sink_.started(result);
  if (group.comm.valid()) participate(planned, group, result);
  if (wanted == world) return;
  // The ranks left out sleep until the others are done.
  session_.watchdog().set_idle(!group.comm.valid());
  session_.world().sleeping_barrier();
  session_.watchdog().set_idle(false);
  // Rank 0 always takes part, so its status is the outcome on all ranks.
  result.status = mpi::broadcast(session_.world(), result.status);
  const auto [any_stopped, any_wrong] =
      any_rank<2>(session_.world(), {stopped_early_, wrong_data_});
  stopped_early_ = any_stopped;
  wrong_data_ = any_wrong && !any_stopped;
}

void Runner::participate(const PlannedCase& planned, const RankGroup& group, CaseResult& result) {
  const mpi::Comm& ranks = group.comm;
  Case one({.session = session_,
            .group = group,
            .result = result,
            .policy = planned.policy,
            .rank_local = planned.benchmark->is_rank_local(),
            .fixed_inner = inner_,
            .on_gpu = planned.benchmark->is_on_gpu(planned.params)});
  session_.telemetry().begin_case();
  const double stopped_before = session_.watchdog().stopped_seconds();
  try {
    // Ranks of a node share host memory, and ranks with the same GPU share its memory.
    device::Device& device = one.hardware().working();
    session_.telemetry().set_on_gpu(device.kind() == device::DeviceKind::cuda);
    const std::uint64_t on_host = planned.benchmark->host_memory_for(planned.params);
    if (device.kind() == device::DeviceKind::cuda) {
      require_memory(device, session_.gpu_sharers(), result.predicted_memory - on_host,
                     " on its GPU");
      require_memory(one.hardware().host(), session_.local_size(), on_host, " on the host");
    } else {
      require_memory(device, session_.local_size(), result.predicted_memory, "");
    }
    one.phase("set up");
    // Only rank-local samples tell a slow rank: other ranks' samples include waiting.
    if (planned.benchmark->is_rank_local()) one.fact("rank_local", true);
    if (group.world_ranks.back() != ranks.size() - 1) one.fact("world_ranks", group.id);
    planned.benchmark->function()(one);
    one.throw_if_peer_failed();
    one.phase("done");
  } catch (const StoppedEarly&) {
    stopped_early_ = true;
  } catch (const PeerFailed& failed) {
    settle(failed, result);
  } catch (const collective::Interrupted&) {
    settle(await_failure(ranks), result);
  } catch (...) {
    settle(fail_with_peers(one, classify()), result);
  }
  one.progress().stop_waiting();
  abandon_after_failure(one, group);
  if (stopped_early_ || result.status == Status::skipped) return;
  one.recorder().table("phases", one.progress().phase_table());
  const double stopped = session_.watchdog().stopped_seconds() - stopped_before;
  if (const std::int64_t longest = ranks.max(std::llround(stopped)); longest > 0)
    one.fact("stopped_seconds", longest);
  session_.telemetry().end_case(ranks, result);
}

PeerFailed Runner::fail_with_peers(Case& one, const PeerFailed& mine) {
  const mpi::Comm& ranks = one.ranks();
  // The others may wait inside a collective that this rank will never join.
  const bool inside = one.progress().is_communicating();
  const bool may_free = inside || mine.failure == Failure::oom || mine.failure == Failure::failed;
  const bool are_free = may_free && one.progress().free_peers();
  if (inside && !are_free) {
    // MPI 4.1 has no revoke.
    CaseResult result = one.result();
    result.status = status_of(mine.failure);
    result.reason = fmt::format("rank {}: {}", ranks.rank(), mine.text);
    if (session_.on_lost) session_.on_lost(result);
    mpi::abort(static_cast<int>(ExitCode::failed),
               fmt::format("case '{}' failed inside communication, phase '{}': {}", result.key,
                           result.phase, mine.text));
  }
  return fail(ranks, mine.failure, mine.text);
}

void Runner::abandon_after_failure(Case& one, const RankGroup& group) {
  if (one.result().status == Status::ok || stopped_early_) return;
  const bool has_failed = one.result().status == Status::failed && !wrong_data_;
  // NCCL's communicators cannot be used after an error.
  if (any_rank<1>(group.comm, {has_failed || one.progress().has_freed_peers()})[0])
    session_.abandon_communicators(group);
}

void Runner::settle(const PeerFailed& failed, CaseResult& result) {
  result.status = status_of(failed.failure);
  result.reason = reason_of(failed);
  result.metrics.clear();
  result.primary_metric.clear();
  wrong_data_ = failed.failure == Failure::wrong_data;
}

}  // namespace scalemark
