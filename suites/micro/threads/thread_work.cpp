// SPDX-License-Identifier: Apache-2.0
// Runs the work of a rank's threads, and hands on what they throw.
#include "suites/micro/threads/thread_work.hpp"

#include "common/base/clock.hpp"
#include "common/mpi/environment.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {

void thread_axes(Benchmark& benchmark) {
  benchmark.axis("memory", {.values = {"host"}, .implied = "host"})
      .axis_integer("threads", {.minimum = 1,
                                .maximum = 1024,
                                .defaults = "1,2",
                                .doc = "Threads of each rank that communicate at once",
                                .unit = "{thread}"});
}

ThreadedRank::ThreadedRank(Case& c, const MakeWork& make)
    : c_(c),
      failures_(static_cast<std::size_t>(c.hardware().threads())),
      team_(c.hardware().threads(), c.hardware().thread_cpus()) {
  if (!c.all_ranks(mpi::any_thread_may_call()))
    c.skip("this MPI lets one thread call it at a time (no MPI_THREAD_MULTIPLE)");
  c.communicator("mpi");  // its barrier starts each sample
  for (int thread = 0; thread < c.hardware().threads(); ++thread) {
    works_.push_back(make(thread));
    c.throw_if_peer_failed();
  }
}

void ThreadedRank::verify(const std::string& rule, std::uint64_t bytes) {
  // Threads have data of their own.
  const auto round_of = [this](int round, std::size_t thread) {
    return round * threads() + static_cast<int>(thread);
  };
  c_.verify(rule, {.fill =
                       [this, round_of](int round) {
                         for (std::size_t i = 0; i < works_.size(); ++i)
                           works_[i]->fill(round_of(round, i));
                       },
                   .check =
                       [this, round_of](int round) {
                         Case::Checked all;
                         for (std::size_t i = 0; i < works_.size(); ++i)
                           all += works_[i]->check(round_of(round, i));
                         return all;
                       },
                   .count = verify_rounds(bytes)});
}

std::uint64_t ThreadedRank::run(std::uint64_t times) {
  const std::uint64_t start = now_ns();
  team_.run([&](int member) {
    const auto thread = static_cast<std::size_t>(member);
    try {
      for (std::uint64_t i = 0; i < times; ++i) works_[thread]->run();
    } catch (...) {
      failures_[thread] = std::current_exception();
    }
  });
  const std::uint64_t taken = now_ns() - start;
  for (const std::exception_ptr& failure : failures_)
    if (failure) std::rethrow_exception(failure);
  return taken;
}

}  // namespace scalemark::micro
