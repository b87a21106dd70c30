// SPDX-License-Identifier: Apache-2.0
// Sessions of MPI-4 as the parts of a program start them: while MPI runs already.
#include "common/mpi/session.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/clock.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/core/rank_group.hpp"

namespace scalemark::micro {
namespace {

/// Libraries may never reuse the identifiers of communicators.
constexpr std::uint64_t kMaxSamples = 99;

/// The ranks of the case by their numbers in a session, the same on all of them.
std::vector<int> members_of(const mpi::Comm& ranks) {
  const mpi::Session session;
  std::vector<int> members;
  for (const std::string& rank : ranks.all_gather(std::to_string(session.rank())))
    members.push_back(std::stoi(rank));
  return members;
}

void session(Case& c) {
  c.communicator("mpi");  // its barrier starts each sample
  const std::vector<int> members = members_of(c.ranks());
  c.verify("the new communicator adds up the numbers of its ranks", [&] {
    const mpi::Session session;
    const mpi::Comm made = session.communicator(members);
    const std::int64_t size = made.size();
    const bool right = made.rank() == c.rank() && made.sum(made.rank()) == size * (size - 1) / 2;
    return Case::Checked{1, right ? 0U : 1U};
  });
  std::vector<std::uint64_t> creation, release;
  const auto sample = [&] {
    const std::uint64_t start = now_ns();
    auto session = std::make_unique<mpi::Session>();
    const std::uint64_t started = now_ns();
    mpi::Comm made = session->communicator(members);
    const std::uint64_t ready = now_ns();
    made = mpi::Comm();
    session.reset();
    release.push_back(now_ns() - ready);
    creation.push_back(ready - started);
    return ready - start;
  };
  const std::size_t timed =
      c.measure_timed(sample, {.metric = "time", .warmup = 2, .max_samples = kMaxSamples});
  c.record_durations("communicator_time", std::span(creation).last(timed), RankReduce::max);
  c.record_durations("release_time", std::span(release).last(timed), RankReduce::max);
}

SCALEMARK_BENCHMARK("micro/session", session)
    .doc("An MPI-4 session until its communicator of all ranks exists, in a job that runs MPI")
    .ranks(1, 2)
    .axis("backend", {.values = {"mpi"}})
    .axis("span", {.values = rank_spans(), .defaults = {"any"}, .implied = "any"});

}  // namespace
}  // namespace scalemark::micro
