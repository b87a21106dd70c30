// SPDX-License-Identifier: Apache-2.0
// The lock of a run's parts: who may take it over, and how its owner notices.
#include "common/store/lock.hpp"

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/process.hpp"
#include "common/base/small_files.hpp"
#include "common/store/lease.hpp"
#include "common/store/reader.hpp"
#include "tests/common/store/interrupted.hpp"
#include "tests/common/store/write_run.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark {
namespace {

using store::Lock;
using test::example_run;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr std::chrono::seconds kExpired = store::kLease + 5s;

std::string own_host() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return host;
}

/// What this process has open in a folder, by the kernel's names.
std::vector<std::string> open_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string name = std::filesystem::read_symlink(entry.path(), gone).string();
    if (name.starts_with(folder.string())) names.push_back(name.substr(folder.string().size()));
  }
  return names;
}

/// A lock file that some process left behind.
class LockTest : public ::testing::Test {
 protected:
  /// Last renewed so long ago.
  void leave(const std::string& owner, std::chrono::seconds age = 0s) {
    std::filesystem::remove(path_);
    std::ofstream(path_) << owner;
    renewed(age);
  }
  void renewed(std::chrono::seconds age) {
    timespec times[2] = {{0, UTIME_OMIT}, {time(nullptr) - age.count(), 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
  }
  std::string refusal() {
    return test::message<UsageError>([&] { const Lock lock(folder_.path()); });
  }
  bool is_taken() {
    try {
      const Lock lock(folder_.path());
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }

  test::TempDir folder_;
  std::filesystem::path path_ = folder_ / store::kLockName;
};

TEST_F(LockTest, NamesItsOwnerAndGoesWithIt) {
  {
    const Lock lock(folder_.path());
    const std::string words = first_line(folder_.path(), store::kLockName);
    EXPECT_THAT(words, AllOf(HasSubstr(own_host()), HasSubstr(std::to_string(getpid())),
                             HasSubstr(boot_id()), HasSubstr(" lease")));
    EXPECT_THAT(refusal(), AllOf(HasSubstr(own_host()), HasSubstr("another process")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(LockTest, OfADeadProcessOfThisHostIsTakenOver) {
  const std::string me = std::to_string(getpid());
  // A number that no process has, and this process's number at another start time.
  for (const std::string& owner : {std::string("4194304 77"), me + " 1"}) {
    leave(own_host() + " " + owner);
    EXPECT_TRUE(is_taken()) << owner;
  }
  // A live process keeps it, however long it stands still.
  leave(own_host() + " " + me + " " + process_stat(getpid())->start_time + " " + boot_id() + " " +
            std::filesystem::read_symlink("/proc/self/ns/pid").string() + " lease",
        kExpired);
  EXPECT_FALSE(is_taken());
}

TEST_F(LockTest, OfAnotherHostIsTakenOverWhenItIsNoLongerRenewed) {
  const std::string owner = "elsewhere.example 1 1 00000000-boot pid:[1]";
  leave(owner + " lease", store::kLease - 30s);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("elsewhere.example"), HasSubstr("remove"),
                               HasSubstr("last sign of life"), HasSubstr("120 s")));
  leave(owner + " lease", -30s);  // its clock is ahead
  EXPECT_FALSE(is_taken());
  leave(owner + " lease", kExpired);
  EXPECT_TRUE(is_taken());
  // Earlier versions renewed nothing.
  for (const std::string& older : {owner, std::string("elsewhere.example 1 1")}) {
    leave(older, kExpired);
    EXPECT_THAT(refusal(), HasSubstr("remove")) << older;
  }
}

/// Another host of the same name, or this one before it was started again: this kernel's word that
/// nobody holds the file means nothing where the file system keeps locks to one host.
TEST_F(LockTest, OfAnotherSystemWithThisNameIsTakenOverWhenItIsNoLongerRenewed) {
  const std::string owner = own_host() + " 4194304 77 00000000-boot pid:[1] lease";
  leave(owner);
  EXPECT_THAT(refusal(), HasSubstr("another process"));
  leave(owner, kExpired);
  EXPECT_TRUE(is_taken());
}

/// The owner is in another container of this system, where its process id means something.
TEST_F(LockTest, OfAnotherContainerHoldsWhileItIsHeld) {
  const std::string owner = own_host() + " 4194304 77 ";
  for (const std::string& where : {boot_id() + " pid:[1] lease", std::string("0-boot pid:[1]")}) {
    leave(owner + where, kExpired);
    const int file = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    struct flock whole {};
    whole.l_type = F_WRLCK;
    ASSERT_EQ(fcntl(file, F_OFD_SETLK, &whole), 0) << "this test needs a file system with locks";
    EXPECT_THAT(refusal(), HasSubstr("another process")) << where;
    close(file);
    EXPECT_TRUE(is_taken()) << where << ": nobody holds it any more";
  }
}

/// NFS and FUSE keep a file that is removed while open, under a hidden name in its folder.
TEST_F(LockTest, HasNoFileOpenThatWasRemoved) {
  const Lock lock(folder_.path());
  EXPECT_THAT(open_files(folder_.path()), ElementsAre("/lock"));
  EXPECT_NO_THROW(lock.check_own());
}

/// There a file has another number under another name.
TEST_F(LockTest, IsOwnByItsContent) {
  const Lock lock(folder_.path());
  std::filesystem::copy_file(path_, folder_ / "copy");
  std::filesystem::rename(folder_ / "copy", path_);
  EXPECT_NO_THROW(lock.check_own());
}

TEST_F(LockTest, IsRenewed) {
  const Lock lock(folder_.path(), 10ms);
  renewed(kExpired);
  for (int i = 0; i < 1000 && store::age_of(path_) > 60s; ++i) usleep(10'000);
  EXPECT_LE(store::age_of(path_).value(), 60s);
}

TEST_F(LockTest, NonsenseIsNeverTakenOver) {
  for (const char* words : {"", "a", "lease", "h 1 2 3 4 5", "h x 2 3 4 lease", "h 1 2 3 4 5 lease",
                            "h 99999999999999999999 2 3 4 lease"}) {
    leave(words, kExpired);
    EXPECT_FALSE(is_taken()) << words;
  }
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(is_taken()) << "a pipe, which must not be waited for";
}

TEST_F(LockTest, AFormerOwnerNoticesAndLeavesTheNewLockAlone) {
  std::optional<Lock> former(std::in_place, folder_.path());
  EXPECT_NO_THROW(former->check_own());
  std::filesystem::remove(path_);
  EXPECT_THAT(test::message<Error>([&] { former->check_own(); }), HasSubstr("taken over"));
  const Lock next(folder_.path());
  EXPECT_THROW(former->check_own(), Error);
  former.reset();
  EXPECT_NO_THROW(next.check_own());
}

using Writer = test::Interrupted;

TEST_F(Writer, HasNothingOpenInAFolderThatItRemoves) {
  FileSink sink(options());
  sink.begin(example_run());
  for (std::size_t i = 0; i < 3; ++i) finish(sink, i);
  sink.end(example_run());
  EXPECT_THAT(open_files(folder_.path()), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(parts_));
  EXPECT_FALSE(std::filesystem::exists(parts_.string() + ".removed"));
}

/// A reader on the same host has a part open: the file stays for it, under a hidden name.
TEST_F(Writer, HiddenFilesOfReadersBlockNothing) {
  for (int run = 0; run < 2; ++run) {
    FileSink sink(options(false, run > 0));
    sink.begin(example_run());
    finish(sink, 0);
    std::ofstream(parts_ / ".nfs0000001900000004") << "a part";
    std::ofstream(parts_ / ".fuse_hidden0000001900000004") << "a part";
    for (std::size_t i = 1; i < 3; ++i) finish(sink, i);
    sink.end(example_run());
    EXPECT_EQ(read_run(output_).cases.size(), 3U);
    EXPECT_FALSE(std::filesystem::exists(parts_));
    const std::filesystem::path left = parts_.string() + ".removed";
    for (const auto& entry : std::filesystem::directory_iterator(left))
      std::filesystem::remove(entry.path());  // the reader ends
  }
}

TEST_F(Writer, WritesNothingOnceItsLockIsAnothers) {
  FileSink sink(options());
  sink.begin(example_run());
  finish(sink, 0);
  std::filesystem::remove(parts_ / store::kLockName);
  {
    const Lock other(parts_);
    EXPECT_THROW(finish(sink, 1), Error);
    EXPECT_THROW(sink.keep(test::example_case(1)), Error);
    EXPECT_THROW(sink.end(example_run()), Error);
  }
  EXPECT_FALSE(std::filesystem::exists(output_));
  EXPECT_EQ(read_run(parts_).cases.size(), 2U) << "one measured, one begun";
  finalize_parts(parts_, output_, false);
  const scalemark::Run merged = read_run(output_);
  ASSERT_EQ(merged.cases.size(), 2U);
  EXPECT_EQ(merged.cases[1].status, Status::failed);
}

}  // namespace
}  // namespace scalemark
