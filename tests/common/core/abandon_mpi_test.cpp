// SPDX-License-Identifier: Apache-2.0
// After a failure a back end's communicator is aborted on all ranks, ranks that wait in it are
// freed, and the next case gets a new one. A communicator made here stands for NCCL's, which
// refuses everything after an error.
#include <stdexcept>

#include <gtest/gtest.h>

#include "common/collective/alarm.hpp"
#include "common/collective/dissemination.hpp"
#include "common/collective/interruption.hpp"
#include "common/core/case.hpp"
#include "common/core/runner.hpp"
#include "tests/support/one_session.hpp"

namespace scalemark {
namespace {

struct Counts {
  int made = 0, abandoned = 0, destroyed = 0, aborted = 0;
} counts;

class Breakable final : public collective::Communicator {
 public:
  explicit Breakable(const mpi::Comm& ranks) : ranks_(ranks), barrier_(ranks), alarm_(ranks) {
    ++counts.made;
  }
  ~Breakable() override { ++counts.destroyed; }
  Breakable(const Breakable&) = delete;
  Breakable& operator=(const Breakable&) = delete;
  std::string_view backend() const override { return "breakable"; }
  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  std::string why_not(const collective::Call&, device::MemoryKind) const override { return {}; }
  bool is_emulated(collective::DType, collective::ReduceOp) const override { return false; }
  std::size_t reduced_part(std::size_t) const override { return 0; }
  std::unique_ptr<collective::Operation> prepare(const collective::Call&) override {
    if (broken_) throw Error("broken by an earlier error");
    return nullptr;
  }
  std::unique_ptr<collective::Operation> prepare(std::span<const collective::Transfer>,
                                                 collective::DType, collective::Mode,
                                                 device::Stream*) override {
    broken_ = true;
    throw Error("injected");
  }
  void barrier() override { barrier_.wait(interruption_); }
  bool can_free_peers() const override { return true; }
  void free_peers() override { alarm_.raise(); }
  void look_for_failures() noexcept override {
    if (alarm_.is_raised()) interruption_.interrupt({}, [] { ++counts.aborted; });
  }
  void abandon() override {
    ++counts.abandoned;
    barrier_.settle();
    alarm_.settle();
  }

 private:
  const mpi::Comm& ranks_;
  collective::InterruptibleBarrier barrier_;
  collective::Alarm alarm_;
  collective::Interruption interruption_;
  bool broken_ = false;
};

std::unique_ptr<collective::Communicator> make_breakable(const mpi::Comm& ranks, device::Device&) {
  return std::make_unique<Breakable>(ranks);
}

const bool added = Registry::instance().add_back_end("breakable", make_breakable);

class MemorySink final : public ResultSink {
 public:
  void begin(const Run&) override {}
  void started(const CaseResult&) override {}
  void phase(const CaseResult&) override {}
  void save(const CaseResult&, const CaseState&) override {}
  void add(const CaseResult& result) override { results.push_back(result); }
  void end(const Run&) override {}
  std::vector<CaseResult> results;
};

class AbandonTest : public test::OneSession<AbandonTest> {
 protected:
  void SetUp() override { counts = {}; }
  RunOutcome run(Benchmark::Function function) {
    Registry registry;
    registry.add(Benchmark("test/one", function));
    Runner runner(*session, sink, {.finished = {}, .budget = {}});
    // Enough for the twelfth call, at which a rank fails below.
    PlanRequest request;
    request.command_line.iterations = 20;
    return runner.run(make_plan(registry, request, session->context()));
  }
  MemorySink sink;
};

/// Breaks the communicator of the last rank, outside of communication.
void break_last(Case& c) {
  collective::Communicator& comm = c.communicator("breakable");
  if (c.rank() == c.size() - 1)
    comm.prepare(std::span<const collective::Transfer>(), collective::DType::int8,
                 collective::Mode::blocking, nullptr);
  c.throw_if_peer_failed();
}

void use(Case& c) {
  c.communicator("breakable").prepare({});
  c.communicator("mpi").barrier();
  c.measure([] {}, {.inner = 1});
}

TEST_F(AbandonTest, TheNextCaseRunsOnANewCommunicator) {
  ASSERT_TRUE(added);
  EXPECT_EQ(run(use).ok, 1U);
  EXPECT_EQ(run(break_last).failed, 1U);
  EXPECT_EQ(counts.made, 1);
  EXPECT_EQ(counts.abandoned, 1) << "on every rank, also where nothing failed";
  EXPECT_EQ(counts.destroyed, 1);
  EXPECT_EQ(run(use).ok, 1U);
  EXPECT_EQ(counts.made, 2);
}

struct Fault {
  int rank = 0, call = 0;
} fault;

/// One rank leaves an operation by an exception, while the others wait for it there.
void fail_inside(Case& c) {
  collective::Communicator& comm = c.communicator("breakable");
  int calls = 0;
  c.measure(
      [&] {
        if (++calls == fault.call && c.rank() == fault.rank) throw Error("injected");
        comm.barrier();
      },
      {.inner = 1});
}

TEST_F(AbandonTest, RanksThatWaitForOneThatFailedAreFreed) {
  const int size = test::world().size();
  for (const int rank : {0, size - 1}) {
    for (const int call : {1, 12}) {
      run(use);  // on a communicator that works
      counts = {};
      sink.results.clear();
      fault = {rank, call};
      EXPECT_EQ(run(fail_inside).failed, 1U);
      if (root()) {
        EXPECT_EQ(sink.results.at(0).reason, "rank " + std::to_string(rank) + ": injected");
      }
      EXPECT_EQ(counts.abandoned, 1);
      EXPECT_EQ(counts.aborted, test::world().rank() == rank ? 0 : 1);
      EXPECT_EQ(run(use).ok, 1U);
      EXPECT_EQ(counts.made, 1);
    }
  }
}

void skip(Case& c) {
  c.communicator("breakable");
  c.skip("a reason");
}

void wrong(Case& c) {
  c.communicator("breakable");
  c.verify("nothing is right", [] { return Case::Checked{1, 1}; });
  c.measure([] {}, {.inner = 1});
}

TEST_F(AbandonTest, SkippedCasesAndWrongDataKeepTheCommunicator) {
  run(skip);
  EXPECT_EQ(run(wrong).wrong_data, 1U);
  EXPECT_LE(counts.made, 1);
  EXPECT_EQ(counts.abandoned, 0);
}

}  // namespace
}  // namespace scalemark
