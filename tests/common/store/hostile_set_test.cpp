// SPDX-License-Identifier: Apache-2.0
// Each of the hostile files is refused with one line, in this process and in one apart, which needs
// little memory for it.
#include <chrono>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "tests/common/store/hostile_files.hpp"
#include "tests/support/temp_dir.hpp"

// HDF5 1.10 itself loses memory when it gives up on a damaged file; ours is still checked.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }  // NOLINT
// AddressSanitizer holds back what was freed, up to 256 MiB, which is no memory that reading needs.
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=16"; }  // NOLINT

namespace scalemark {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal(const std::filesystem::path& path, bool apart) {
  try {
    read_run(path, {.apart = apart});
  } catch (const InputError& error) {
    return error.what();
  }
  return "(not refused)";
}

long peak_kib(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return usage.ru_maxrss;
}

class HostileSet : public ::testing::TestWithParam<test::HostileFile> {};

TEST_P(HostileSet, IsRefusedWithOneLine) {
  const test::TempDir folder;
  const std::filesystem::path path = test::make_hostile(GetParam(), folder.path());
  const auto begin = std::chrono::steady_clock::now();
  for (const bool apart : {true, false}) {
    const std::string text = refusal(path, apart);
    EXPECT_THAT(text, StartsWith(path.string() + ": ")) << apart;
    EXPECT_THAT(text, HasSubstr(GetParam().why)) << apart;
    EXPECT_EQ(text.find_first_of("\n\r\x1B"), std::string::npos) << text;
    EXPECT_LT(text.size(), 600U);
    if (apart) std::printf("  %s\n", text.substr(path.string().size() + 2).c_str());
  }
  EXPECT_EQ(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  // Of this process, which reads the file too, and of all children so far.
  EXPECT_LT(peak_kib(RUSAGE_CHILDREN), 512 * 1024);
}

/// A run's parts, one of which is hostile.
std::filesystem::path parts_with(const test::HostileFile& one, const std::string& place,
                                 const std::filesystem::path& folder) {
  test::write_good_file(folder / "good.h5");
  const std::filesystem::path hostile = test::make_hostile(one, folder),
                              parts = folder / "a.h5.parts";
  std::filesystem::create_directory(parts);
  for (const std::string part : {store::kMetaName, "c000000.h5"})
    std::filesystem::copy_file(part == place ? hostile : folder / "good.h5", parts / part);
  return parts;
}

/// What is wrong in a header's cases, or in a segment's header, is never looked at.
bool is_about_the_header(const test::HostileFile& one) {
  static const std::set<std::string> kHeaderOnly = {
      "foreign_format", "newer_format", "ranks_of_different_lengths", "numa_of_other_lengths"};
  return kHeaderOnly.contains(one.name);
}

TEST_P(HostileSet, DoesNoHarmAsTheHeaderOfParts) {
  const test::TempDir folder;
  const std::filesystem::path parts = parts_with(GetParam(), store::kMetaName, folder.path());
  try {
    finalize_parts(parts, folder / "a.h5", true);
    EXPECT_FALSE(is_about_the_header(GetParam()));
    EXPECT_EQ(read_run(folder / "a.h5").cases.size(), 1U);
    return;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), StartsWith((parts / store::kMetaName).string() + ": "));
    EXPECT_EQ(std::string(error.what()).find_first_of("\n\r\x1B"), std::string::npos);
  }
  EXPECT_TRUE(std::filesystem::exists(parts / store::kMetaName));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));
}

TEST_P(HostileSet, IsSetAsideAsASegment) {
  const test::TempDir folder;
  const std::filesystem::path parts = parts_with(GetParam(), "c000000.h5", folder.path());
  finalize_parts(parts, folder / "a.h5", true);
  const bool is_good = is_about_the_header(GetParam());
  EXPECT_EQ(read_run(folder / "a.h5").cases.size(), is_good ? 1U : 0U);
  EXPECT_EQ(std::filesystem::exists(parts.string() + ".damaged/c000000.h5"), !is_good);
}

INSTANTIATE_TEST_SUITE_P(Files, HostileSet, ::testing::ValuesIn(test::hostile_files()),
                         [](const auto& one) { return one.param.name; });

TEST(HostileSet, IsLargeAndNamesEachOnce) {
  std::set<std::string> names;
  for (const test::HostileFile& one : test::hostile_files()) names.insert(one.name);
  EXPECT_EQ(names.size(), test::hostile_files().size());
  EXPECT_GE(names.size(), 30U);
}

// The same in both ways, so that a refusal above is one of what was done to the file.
TEST(HostileSet, TheGoodFileIsRead) {
  const test::TempDir folder;
  test::write_good_file(folder / "good.h5");
  EXPECT_EQ(read_run(folder / "good.h5").cases.size(), 1U);
  EXPECT_EQ(read_run(folder / "good.h5", {.apart = false}).cases.size(), 1U);
}

}  // namespace
}  // namespace scalemark
