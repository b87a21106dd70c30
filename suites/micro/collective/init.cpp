// SPDX-License-Identifier: Apache-2.0
// Time of MPI_Init_thread (with --mpi-session: of the session and its communicator) on each rank of
// this job. It can only be called once, so a run gives one value.
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {
namespace {

void init(Case& c) {
  const auto nanoseconds = static_cast<std::uint64_t>(c.inputs().init_seconds() * 1e9 + 0.5);
  c.record_durations("time", {&nanoseconds, 1}, RankReduce::max);
}

SCALEMARK_BENCHMARK("micro/init", init)
    .doc("Time of MPI_Init_thread on all ranks of the job, once per run")
    .ranks(1)
    .fixed_work()
    .axis("backend", {.values = {"mpi"}});

}  // namespace
}  // namespace scalemark::micro
