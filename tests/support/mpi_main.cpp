// SPDX-License-Identifier: Apache-2.0
// main of tests under mpirun: failures name their rank, all ranks agree on the verdict, and a test
// that got another number of ranks than promised fails. Exit code: 0, 1 failed, 77 every test was
// skipped.
#include "tests/support/mpi_main.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <gtest/gtest.h>

#include "common/mpi/environment.hpp"

namespace scalemark::test {
namespace {

constexpr int kAllSkipped = 77;
const mpi::Comm* the_world = nullptr;

/// Names of tests from rank 0, failures from every rank.
class RankPrinter final : public ::testing::EmptyTestEventListener {
 public:
  explicit RankPrinter(int rank) : rank_(rank) {}

  void OnTestStart(const ::testing::TestInfo& test) override {
    if (rank_ == 0) std::printf("[ RUN      ] %s.%s\n", test.test_suite_name(), test.name());
  }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.passed()) return;
    std::fprintf(stderr, "[%d] %s:%d: %s\n%s\n", rank_,
                 result.file_name() == nullptr ? "?" : result.file_name(), result.line_number(),
                 result.skipped() ? "skipped" : "failure", result.message());
  }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    const char* verdict = test.result()->Failed()    ? "[  FAILED  ]"
                          : test.result()->Skipped() ? "[  SKIPPED ]"
                                                     : "[       OK ]";
    if (rank_ == 0 || test.result()->Failed()) {
      std::printf("%s %s.%s [%d] (%lld ms)\n", verdict, test.test_suite_name(), test.name(), rank_,
                  static_cast<long long>(test.result()->elapsed_time()));
      std::fflush(stdout);
    }
  }

 private:
  int rank_;
};

/// The launcher's promise, given by the build: a test that silently ran on fewer ranks proves
/// nothing.
bool got_promised_ranks(const mpi::Comm& world) {
  const char* promised = std::getenv("SCALEMARK_EXPECT_RANKS");
  if (promised == nullptr || std::to_string(world.size()) == promised) return true;
  std::fprintf(stderr, "[%d] SCALEMARK_EXPECT_RANKS=%s, but MPI started %d\n", world.rank(),
               promised, world.size());
  return false;
}

int run_tests(const mpi::Comm& world) {
  if (!got_promised_ranks(world)) return 1;
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new RankPrinter(world.rank()));  // the list owns it
  the_world = &world;
  const int mine = RUN_ALL_TESTS();
  const auto& unit = *::testing::UnitTest::GetInstance();
  if (unit.test_to_run_count() == 0)
    std::fprintf(stderr, "[%d] no test was selected\n", world.rank());
  const bool failed = mine != 0 || unit.test_to_run_count() == 0;
  const bool ran = unit.skipped_test_count() < unit.test_to_run_count();
  if (world.max(failed ? 1 : 0) != 0) return 1;
  return world.max(ran ? 1 : 0) != 0 ? 0 : kAllSkipped;
}

}  // namespace

const mpi::Comm& world() { return *the_world; }

}  // namespace scalemark::test

int main(int argc, char** argv) {
  try {
    scalemark::mpi::Environment environment(&argc, &argv);
    ::testing::InitGoogleTest(&argc, argv);
    return scalemark::test::run_tests(environment.world());
  } catch (const std::exception& error) {
    scalemark::mpi::abort(1, error.what());
  }
}
