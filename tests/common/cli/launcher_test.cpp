// SPDX-License-Identifier: Apache-2.0
// The command that goes on with a run, made of the one that began it.
#include "common/cli/launcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace scalemark::cli {
namespace {

using ::testing::ElementsAre;
using Words = std::vector<std::string>;

TEST(Resuming, AddsWhatIsMissingAndDropsForce) {
  EXPECT_THAT(resuming({"sm", "run", "micro/put", "-o", "a.h5"}, "a.h5"),
              ElementsAre("sm", "run", "--resume", "micro/put", "-o", "a.h5"));
  EXPECT_THAT(resuming({"sm", "run", "--force", "--output=a.h5"}, "a.h5"),
              ElementsAre("sm", "run", "--resume", "--output=a.h5"));
  EXPECT_THAT(resuming({"sm", "run", "-oa.h5", "--resume", "--resume-hosts"}, "a.h5"),
              ElementsAre("sm", "run", "-oa.h5", "--resume", "--resume-hosts"));
}

TEST(Resuming, NamesTheFileThatWasChosen) {
  EXPECT_THAT(resuming({"sm", "run", "--", "micro/put"}, "b.h5"),
              ElementsAre("sm", "run", "--resume", "--output", "b.h5", "--", "micro/put"));
}

TEST(WordsBefore, AreThoseOfTheLauncher) {
  const Words program = {"/a/sm", "run", "-n", "5"};
  EXPECT_EQ(words_before(Words{"mpirun", "-n", "2", "/a/sm", "run", "-n", "5"}, program),
            (Words{"mpirun", "-n", "2"}));
  EXPECT_EQ(words_before(Words{"mpirun", "-n", "2", "sm", "run", "-n", "5"}, program),
            (Words{"mpirun", "-n", "2"}))
      << "found by PATH";
  EXPECT_EQ(words_before(Words{"mpirun", "-n", "2", "sm", "run", "-n", "6"}, program),
            std::nullopt);
  EXPECT_EQ(words_before(program, program), std::nullopt);
  EXPECT_EQ(words_before(Words{}, program), std::nullopt);
}

TEST(ResumeHint, IsACommandForTheShell) {
  EXPECT_EQ(resume_hint({"sm", "run", "^micro/(a|b)$", "-o", "it's.h5"}, "it's.h5", 1),
            "Finished cases are kept. To resume:\n"
            "  sm run --resume '^micro/(a|b)$' -o 'it'\\''s.h5'\n");
}

TEST(LauncherStream, IsNoTerminalWhereLinesAreMarkedOrNothingIsThere) {
  const int self = static_cast<int>(getpid());
  EXPECT_FALSE(stream_of(Launcher{self, {"mpirun", "--tag-output", "-n", "2"}}, 2).terminal);
  EXPECT_FALSE(stream_of(Launcher{self, {"mpirun", "-n", "2"}}, 999).terminal);
}

}  // namespace
}  // namespace scalemark::cli
