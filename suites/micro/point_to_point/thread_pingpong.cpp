// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/thread_pingpong: several threads of two ranks exchange messages at once, each
// with its partner in the other rank over a communicator of their own.
#include <exception>
#include <memory>
#include <vector>

#include "common/base/clock.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/mpi/environment.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/memory/host_team.hpp"

namespace scalemark::micro {
namespace {

using collective::Transfer;

/// What one thread exchanges with its partner.
class ThreadPair {
 public:
  /// Collective.
  ThreadPair(Case& c, int thread, std::size_t bytes)
      : c_(c),
        bytes_(bytes),
        mine_(c.rank() + 2 * thread),
        theirs_(1 - c.rank() + 2 * thread),
        communicator_(collective::make_mpi_communicator(c.ranks(), c.hardware().host())),
        out_(c.alloc(bytes)),
        in_(c.alloc(bytes)),
        send_(prepare(Transfer::Direction::send, out_)),
        receive_(prepare(Transfer::Direction::receive, in_)) {}

  /// Sends messages there and back. Called on the thread; keeps what it throws.
  void exchange(std::uint64_t times) noexcept {
    try {
      for (std::uint64_t i = 0; i < times; ++i) {
        if (c_.rank() == 0) send_->run();
        receive_->run();
        if (c_.rank() != 0) send_->run();
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  void throw_failure() {
    if (failure_) std::rethrow_exception(failure_);
  }
  void fill() { fill_message(c_, out_, bytes_, mine_); }
  Case::Checked check() { return check_message(c_, in_, bytes_, theirs_); }

 private:
  std::unique_ptr<collective::Operation> prepare(Transfer::Direction direction,
                                                 const device::Buffer& buffer) {
    const Transfer one{direction, buffer.data(), bytes_, 1 - c_.rank()};
    return communicator_->prepare({&one, 1}, collective::DType::int8, collective::Mode::blocking,
                                  &c_.stream());
  }

  Case& c_;
  std::size_t bytes_;
  int mine_, theirs_;  ///< whose data: the two threads of the pair
  std::unique_ptr<collective::Communicator> communicator_;
  device::Buffer out_, in_;
  std::unique_ptr<collective::Operation> send_, receive_;
  std::exception_ptr failure_;
};

void thread_pingpong(Case& c) {
  if (!c.all_ranks(mpi::any_thread_may_call()))
    c.skip("this MPI lets one thread call it at a time (no MPI_THREAD_MULTIPLE)");
  const auto bytes = static_cast<std::size_t>(bytes_of(c.result().params));
  const int threads = c.hardware().threads();
  c.communicator("mpi");  // its barrier starts each sample
  std::vector<std::unique_ptr<ThreadPair>> pairs;
  for (int thread = 0; thread < threads; ++thread)
    pairs.push_back(std::make_unique<ThreadPair>(c, thread, bytes));
  for (const auto& pair : pairs) pair->fill();
  c.verify("every byte of each thread's last message against its partner's", [&] {
    Case::Checked all;
    for (const auto& pair : pairs) all += pair->check();
    return all;
  });
  c.work({.bytes = static_cast<double>(bytes) * threads,
          .formula = "threads * bytes / latency",
          .carrier = Carrier::between_ranks});
  HostTeam team(threads, c.hardware().thread_cpus());
  c.measure_timed(
      [&](std::uint64_t times) {
        const std::uint64_t start = now_ns();
        team.run([&](int member) { pairs[static_cast<std::size_t>(member)]->exchange(times); });
        const std::uint64_t taken = now_ns() - start;
        for (const auto& pair : pairs) pair->throw_failure();
        return taken;
      },
      {.metric = "latency",
       .rank_reduce = RankReduce::root,
       .inner = 0,
       .inner_time = 200e-6,
       .scale = 0.5,
       .warmup = 10});
  c.record_rate("message_rate", "{message}/s", "latency", threads, "threads / latency");
}

SCALEMARK_BENCHMARK("micro/thread_pingpong", thread_pingpong)
    .doc("Latency of messages between two ranks while several threads of each send at once")
    .two_ranks()
    .axis("memory", {.values = {"host"}, .implied = "host"})
    .axis_integer("threads", {.minimum = 1,
                              .maximum = 1024,
                              .defaults = "1,2",
                              .doc = "Threads of each rank, one message under way for each pair",
                              .unit = "{thread}"})
    .axis_integer("bytes", {.minimum = 0,
                            .maximum = std::int64_t{1} << 30,
                            .defaults = "8:4M:*8",
                            .quick = "8,64K"})
    .memory([](const Point& p) {
      return 2 * bytes_of(p) * static_cast<std::uint64_t>(p.integer("threads"));
    });

}  // namespace
}  // namespace scalemark::micro
