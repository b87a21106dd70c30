// SPDX-License-Identifier: Apache-2.0
// What the environment says about MPI, and about the launcher.
#include "common/mpi/environment.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/mpi/single_copy.hpp"
#include "common/mpi/transport.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::mpi {
namespace {

/// Sets a variable for the time of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    had_ = std::getenv(name) != nullptr;
    if (value != nullptr) {
      setenv(name, value, 1);
    } else {
      unsetenv(name);
    }
  }
  ~Variable() {
    if (had_) {
      setenv(name_, old_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

TEST(Environment, LauncherPromisesWhatMpiGives) {
  EXPECT_EQ(promised_ranks(), test::world().size());
}

TEST(Environment, PromiseOfTheInnermostLauncherCounts) {
  const Variable slurm("SLURM_STEP_NUM_TASKS", "7");
  EXPECT_EQ(promised_ranks(), test::world().size());
  const Variable ompi("OMPI_COMM_WORLD_SIZE", nullptr), mpich("PMI_SIZE", nullptr);
  EXPECT_EQ(promised_ranks(), 7);
}

TEST(Environment, TransportFactsLeaveTheThreadLevelAlone) {
  ASSERT_TRUE(any_thread_may_call());
  EXPECT_EQ(transport_facts().empty(), !is_open_mpi());  // MPICH tells none of them
  EXPECT_TRUE(any_thread_may_call());
}

TEST(Environment, TransportFactsNameTheComponentInUse) {
  const auto facts = transport_facts();
  ASSERT_EQ(facts.contains("pml_in_use"), is_open_mpi());
  if (!is_open_mpi()) return;
  EXPECT_THAT(facts.at("pml_in_use"), testing::AnyOf("ob1", "ucx", "cm"));
  // Open MPI 4 copies in its component for shared memory, later ones in a framework of their own.
  // A single rank needs neither.
  if (test::world().size() > 1) {
    EXPECT_NE(facts.contains("btl_vader_single_copy_mechanism"), facts.contains("smsc_in_use"));
  }
}

TEST(Environment, HostilePromisesAreIgnored) {
  const Variable slurm("SLURM_STEP_NUM_TASKS", nullptr), mpich("PMI_SIZE", nullptr);
  for (const char* value :
       {"", "-3", "0", "four", "99999999999999999999", "2147483648", "4 ranks"}) {
    const Variable ompi("OMPI_COMM_WORLD_SIZE", value);
    EXPECT_EQ(promised_ranks(), 0) << value;
  }
}

TEST(Environment, LibraryVersionIsOneShortLine) {
  const std::string version = Environment::library_version();
  EXPECT_FALSE(version.empty());
  EXPECT_LT(version.size(), 64U);
  EXPECT_EQ(version.find_first_of(",\n"), std::string::npos) << version;
}

TEST(Environment, ErrorsOfTheWorldReturn) {
  const int code = MPI_Send(nullptr, 0, MPI_BYTE, test::world().size(), 0, MPI_COMM_WORLD);
  EXPECT_NE(code, MPI_SUCCESS);
  EXPECT_THROW(check(code), Error);
}

TEST(Environment, ThreadsMayAllCall) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
}

TEST(SingleCopy, IsForbiddenBetweenContainers) {
  const std::vector<std::string> shared = {"user:[1]", "user:[1]"},
                                 apart = {"user:[1]", "user:[2]"};
  EXPECT_NE(why_messages_may_hang("Open MPI v4.1.4", "", apart), "");
  EXPECT_NE(why_messages_may_hang("Open MPI v4.1.4", "cma", apart), "");
  EXPECT_EQ(why_messages_may_hang("Open MPI v4.1.4", "", shared), "");
  EXPECT_EQ(why_messages_may_hang("Open MPI v4.1.4", "", {}), "");
  EXPECT_EQ(why_messages_may_hang("Open MPI v4.1.4", "none", apart), "");
  EXPECT_EQ(why_messages_may_hang("MPICH 4.0.2", "", apart), "");
  EXPECT_EQ(why_messages_may_hang(test::world()), "") << "these ranks share theirs";
}

}  // namespace
}  // namespace scalemark::mpi
