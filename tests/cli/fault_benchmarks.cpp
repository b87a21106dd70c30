// SPDX-License-Identifier: Apache-2.0
// Benchmarks that misbehave on purpose, linked into the test program only.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/data/message_pattern.hpp"

namespace scalemark {
namespace {

/// The last rank misbehaves, so that rank 0 has to notice.
bool is_culprit(const Case& c) { return c.rank() == c.size() - 1; }

void misbehave(const std::string& fault) {
  if (fault == "throw") throw std::runtime_error("planted failure");
  if (fault == "unavailable") throw Unavailable("planted reason");
  if (fault == "late") std::this_thread::sleep_for(std::chrono::seconds(60));
  if (fault == "stop") kill(getpid(), SIGSTOP);
  if (fault == "kill") kill(getpid(), SIGKILL);
  if (fault == "memory") {
    // More than the limit that the test sets (RLIMIT_AS).
    const std::vector<char> too_much(std::size_t{64} << 30, 'x');
    if (too_much.back() != 'x') throw std::runtime_error("unreachable");
  }
}

void fault(Case& c) {
  const std::string what = c.text("fault"), when = c.text("when");
  if (is_culprit(c) && when == "before") misbehave(what);
  collective::Communicator& comm = c.communicator("mpi");
  const device::Buffer send = c.alloc(64), recv = c.alloc(64);
  const auto type = collective::DType::fp32;
  const micro::KnownData data(c.seed(), type, collective::ReduceOp::sum, c.size());
  micro::fill(c, send.data(), 0, data, type, 16, c.rank());
  if (what == "wrong_data" && is_culprit(c)) send.as<float>()[3] += 1;
  c.verify("sum", [&] { return micro::check(c, recv.data(), 0, data, type, {.count = 16}); });
  int calls = 0;
  c.measure(
      [&] {
        if (++calls == 10 && is_culprit(c) && when == "inside") misbehave(what);
        comm.allreduce(send.data(), recv.data(), 16, type, collective::ReduceOp::sum, c.stream());
      },
      {.metric = "latency"});
  if (is_culprit(c) && when == "after") misbehave(what);
}

SCALEMARK_BENCHMARK("test/fault", fault)
    .doc("Misbehaves on purpose")
    .axis("fault", {.values = {"none", "throw", "unavailable", "late", "stop", "kill", "memory",
                               "wrong_data"},
                    .defaults = {"none"},
                    .doc = "What goes wrong"})
    .axis("when", {.values = {"before", "inside", "after"},
                   .defaults = {"before"},
                   .doc = "When it goes wrong: before, inside or after the measurement"})
    .axis_integer("number", {.minimum = 0,
                             .maximum = 1 << 20,
                             .defaults = "0",
                             .doc = "Number of the case",
                             .unit = "1"});

/// A rank-local operation that fails on one rank only while the others go on.
void local_fault(Case& c) {
  int calls = 0;
  c.measure(
      [&] {
        if (++calls == 5 && is_culprit(c)) throw std::runtime_error("planted failure");
      },
      {.barrier = false});
}

SCALEMARK_BENCHMARK("test/local_fault", local_fault)
    .doc("Fails on one rank in rank-local work")
    .rank_local();

/// Takes a known time, for tests that interrupt a run.
void nap(Case& c) {
  c.measure([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, {.warmup = 0});
}

SCALEMARK_BENCHMARK("test/nap", nap)
    .doc("Sleeps 2 ms")
    .axis_integer("number", {.minimum = 0,
                             .maximum = 1 << 20,
                             .defaults = "0",
                             .doc = "Number of the case",
                             .unit = "1"});

/// Every rank is busy for `busy` us before each call, the last one longer by `slower` percent.
/// Asleep, so that ranks may be more than cores; woken to the microsecond, not some 50 later.
void straggler(Case& c) {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  collective::Communicator& comm = c.communicator("mpi");
  const bool slow = c.rank() == c.size() - 1;
  const std::int64_t longer = slow ? c.integer("busy") * c.integer("slower") / 100 : 0;
  const auto busy = std::chrono::microseconds(c.integer("busy") + longer);
  const auto barrier = comm.prepare({});
  c.measure([&] { barrier->run(); },
            {.metric = "latency", .before = [busy] { std::this_thread::sleep_for(busy); }});
}

SCALEMARK_BENCHMARK("test/straggler", straggler)
    .doc("The last rank enters late")
    .axis_integer("busy", {.minimum = 0,
                           .maximum = 1 << 20,
                           .defaults = "2000",
                           .doc = "Time of an operation",
                           .unit = "us"})
    .axis_integer("slower", {.minimum = 0,
                             .maximum = 100,
                             .defaults = "0",
                             .doc = "Part by which operations are slower",
                             .unit = "%"})
    .axis_integer("number", {.minimum = 0,
                             .maximum = 1 << 20,
                             .defaults = "0",
                             .doc = "Number of the case",
                             .unit = "1"});

}  // namespace
}  // namespace scalemark
