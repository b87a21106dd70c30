// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/thread_collective: a collective of each thread of all ranks at once (IMB-MT's
// BcastMT, ReduceMT and AllreduceMT).
#include "suites/micro/collective/collective_point.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/threads/thread_work.hpp"

namespace scalemark::micro {
namespace {

collective::Call call_of_thread(const Point& point, int ranks) {
  return call_of(point, collective::routine_from(point.text("collective")), ranks);
}

/// The part of one thread.
class ThreadCollective final : public ThreadWork {
 public:
  /// Collective.
  explicit ThreadCollective(Case& c)
      : communicator_(collective::make_mpi_communicator(c.ranks(), c.hardware().host())),
        data_(c, *communicator_, call_of_thread(c.result().params, c.size())),
        operation_(communicator_->prepare(data_.call())) {}
  void run() override { operation_->run(); }
  void fill(int round) override { data_.fill(round); }
  Case::Checked check(int round) override { return data_.check(round); }

 private:
  std::unique_ptr<collective::Communicator> communicator_;
  CollectiveData data_;
  std::unique_ptr<collective::Operation> operation_;
};

void thread_collective(Case& c) {
  const collective::Call call = call_of_thread(c.result().params, c.size());
  const std::uint64_t total = total_bytes(call, c.size());
  ThreadedRank rank(c, [&](int) { return std::make_unique<ThreadCollective>(c); });
  rank.verify("every element of each thread's last result against its exact value", total);
  c.work({.bytes = static_cast<double>(total) * rank.threads(),
          .formula = "threads * total_bytes / latency"});
  c.fact("total_bytes", static_cast<std::int64_t>(total));
  c.measure_timed([&](std::uint64_t times) { return rank.run(times); },
                  {.metric = "latency", .warmup = 10});
}

SCALEMARK_BENCHMARK("micro/thread_collective", thread_collective)
    .doc("Collectives that several threads of each rank carry out at once")
    .ranks(2)
    .axis("collective", {.values = {"broadcast", "reduce", "allreduce", "allgather", "alltoall"},
                         .defaults = {"broadcast", "reduce", "allreduce"},
                         .doc = "What each thread does with its like in the other ranks"})
    .with(thread_axes)
    .axis_integer("bytes", {.minimum = 0,
                            .maximum = std::int64_t{1} << 30,
                            .defaults = "8:1M:*8",
                            .quick = "8,64K"})
    .memory([](const Point& p) {
      const int ranks = static_cast<int>(p.integer("ranks"));
      return buffer_bytes(call_of_thread(p, ranks), false, ranks) *
             static_cast<std::uint64_t>(p.integer("threads"));
    });

}  // namespace
}  // namespace scalemark::micro
