// SPDX-License-Identifier: Apache-2.0
// The secret of redaction: where it comes from, who may read it, and what is made of it.
#include "common/store/redaction_key.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::store {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kVariable = "SCALEMARK_REDACTION_KEY_FILE";

class Key : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv(kVariable);
    setenv("XDG_STATE_HOME", folder_.path().c_str(), 1);
  }
  void TearDown() override {
    unsetenv(kVariable);
    setenv("XDG_STATE_HOME", folder_.path().c_str(), 1);
  }
  fs::path own() const { return folder_ / "scalemark" / "redaction-key"; }
  fs::path made(const std::string& name, const std::string& content, mode_t mode) const {
    const fs::path path = folder_ / name;
    std::ofstream(path) << content;
    chmod(path.c_str(), mode);
    return path;
  }
  static std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static mode_t mode(const fs::path& path) {
    struct stat facts {};
    return lstat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
  }
  static std::string refusal() {
    try {
      redaction_key();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
  test::TempDir folder_;
};

TEST_F(Key, IsMadeOnceAndForTheUserOnly) {
  const RedactionKey first = redaction_key();
  EXPECT_TRUE(first.is_kept);
  EXPECT_EQ(redaction_key_path(), own());
  EXPECT_EQ(content(own()), first.secret);
  EXPECT_THAT(first.secret, MatchesRegex("[0-9a-f]{64}\n"));
  EXPECT_EQ(mode(own()), 0600u);
  EXPECT_EQ(mode(own().parent_path()), 0700u);
  EXPECT_EQ(redaction_key().secret, first.secret);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(own().parent_path())) files += entry.exists();
  EXPECT_EQ(files, 1u) << "a temporary file is left";
  fs::remove(own());
  EXPECT_NE(redaction_key().secret, first.secret);
}

TEST_F(Key, IsTheSameForAllWhoStartAtOnce) {
  std::vector<std::string> secrets(16);
  std::vector<std::thread> threads;
  for (std::string& secret : secrets)
    threads.emplace_back([&secret] { secret = redaction_key().secret; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set(secrets.begin(), secrets.end()), std::set{content(own())});
}

TEST_F(Key, WithoutAStateFolderStandsInTheHome) {
  const char* before = getenv("HOME");
  const std::string home = before == nullptr ? "" : before;
  setenv("XDG_STATE_HOME", "relative/is/ignored", 1);
  setenv("HOME", folder_.path().c_str(), 1);
  EXPECT_EQ(redaction_key_path(), folder_ / ".local" / "state" / "scalemark" / "redaction-key");
  setenv("HOME", (folder_ / "missing").c_str(), 1);
  EXPECT_EQ(redaction_key_path(), "");
  const RedactionKey first = redaction_key(), second = redaction_key();
  EXPECT_FALSE(first.is_kept);
  EXPECT_NE(first.secret, second.secret);
  EXPECT_FALSE(fs::exists(folder_ / "missing"));
  setenv("HOME", home.c_str(), 1);
}

TEST_F(Key, ThatCannotBeKeptIsOfThisRunOnlyAndSaysWhy) {
  // A file in the place of a folder: nobody can make a folder there, not even root.
  setenv("XDG_STATE_HOME", made("file", "x", 0644).c_str(), 1);
  ::testing::internal::CaptureStderr();
  const RedactionKey key = redaction_key();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_FALSE(key.is_kept);
  EXPECT_THAT(said, HasSubstr("for this run only"));
  EXPECT_THAT(said, HasSubstr(kVariable));
  EXPECT_THAT(key.secret, MatchesRegex("[0-9a-f]{64}\n"));
}

TEST_F(Key, ThatOthersMayReadIsRefused) {
  redaction_key();
  for (const mode_t bad : {0640U, 0604U, 0620U, 0602U, 0644U}) {
    chmod(own().c_str(), bad);
    EXPECT_THAT(refusal(), HasSubstr("may be read or written by others")) << std::oct << bad;
  }
  chmod(own().c_str(), 0600);
  EXPECT_EQ(refusal(), "");
}

TEST_F(Key, ThatIsALinkAFifoOrTooShortIsRefused) {
  fs::create_directory(own().parent_path());
  fs::create_symlink(made("elsewhere", std::string(64, 'a'), 0600), own());
  EXPECT_THAT(refusal(), HasSubstr("is a link"));
  fs::remove(own());
  ASSERT_EQ(mkfifo(own().c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("is no regular file"));
  fs::remove(own());
  std::ofstream(own()) << "short";
  chmod(own().c_str(), 0600);
  EXPECT_THAT(refusal(), HasSubstr("has 5 bytes, allowed: 32 to 4096"));
  std::ofstream(own()) << std::string(5000, 'a');
  EXPECT_THAT(refusal(), HasSubstr("has over 4096 bytes"));
}

TEST_F(Key, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  redaction_key();
  ASSERT_EQ(chown(own().c_str(), 12345, 12345), 0);
  EXPECT_THAT(refusal(), HasSubstr("belongs to another user"));
}

TEST_F(Key, OfASiteMayBeReadByItsGroup) {
  const std::string secret(64, 's');
  const fs::path site = made("site", secret, 0640);
  setenv(kVariable, site.c_str(), 1);
  EXPECT_EQ(redaction_key().secret, secret);
  EXPECT_TRUE(redaction_key().is_kept);
  EXPECT_FALSE(fs::exists(own())) << "the user's own is not made";
  for (const mode_t bad : {0644U, 0660U, 0642U}) {
    chmod(site.c_str(), bad);
    EXPECT_THAT(refusal(), HasSubstr("may be read or written by others")) << std::oct << bad;
  }
  setenv(kVariable, (folder_ / "missing").c_str(), 1);
  EXPECT_THAT(refusal(), HasSubstr("which does not exist"));
  EXPECT_FALSE(fs::exists(folder_ / "missing"));
}

TEST_F(Key, HasALabelThatTellsSecretsApart) {
  const RedactionKey a{std::string(64, 'a')}, b{std::string(64, 'b')};
  EXPECT_THAT(a.label(), MatchesRegex("[0-9a-f]{10}"));
  EXPECT_EQ(a.label(), RedactionKey{std::string(64, 'a')}.label());
  EXPECT_NE(a.label(), b.label());
}

}  // namespace
}  // namespace scalemark::store
