// SPDX-License-Identifier: Apache-2.0
// Names that nobody can guess, and files that are made, never opened.
#include "common/base/temporary_file.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark {
namespace {

TEST(TemporaryFile, IsNewAndEmpty) {
  const test::TempDir folder;
  std::set<std::filesystem::path> paths;
  for (int i = 0; i < 100; ++i) {
    const std::filesystem::path path = make_temporary(folder.path(), "a.h5");
    EXPECT_EQ(path.parent_path(), folder.path());
    EXPECT_TRUE(is_temporary(path.filename().string())) << path;
    EXPECT_TRUE(std::filesystem::is_regular_file(path));
    EXPECT_EQ(std::filesystem::file_size(path), 0U);
    EXPECT_TRUE(paths.insert(path).second);
    EXPECT_TRUE(paths.insert(temporary_name(folder.path(), "a.h5")).second);
  }
  EXPECT_FALSE(is_temporary("a.h5"));
  EXPECT_FALSE(is_temporary("a.tmp"));
}

TEST(TemporaryFile, SaysWhyItCannotBeMade) {
  const test::TempDir folder;
  try {
    make_temporary(folder / "none", "a.h5");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("No such file"));
  }
}

TEST(TemporaryFile, FolderOfAName) {
  EXPECT_EQ(folder_of("a.h5"), ".");
  EXPECT_EQ(folder_of("x/a.h5"), "x");
}

}  // namespace
}  // namespace scalemark
