// SPDX-License-Identifier: Apache-2.0
// The pictures of scenario b against values computed apart, and the folder that keeps them.
#include "suites/imaging/data/rgb300.hpp"

#include <array>
#include <fstream>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::imaging {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const Mnist& subset() {
  static const Mnist mnist = load_mnist();
  return mnist;
}

std::array<std::uint32_t, 3> shares(PictureId id) {
  const Tint tint = tint_of(id);
  return {tint.red, tint.green, tint.blue};
}

/// By Python, from the definition of splitmix64.
TEST(Rgb300, TintsAreAFixedFunctionOfThePicture) {
  using Shares = std::array<std::uint32_t, 3>;
  EXPECT_EQ(shares({Half::train, 0}), (Shares{201, 153, 236}));
  EXPECT_EQ(shares({Half::test, 0}), (Shares{148, 254, 207}));
  EXPECT_EQ(shares({Half::train, 7}), (Shares{146, 177, 246}));
  std::set<Shares> different;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const Shares tint = shares({Half::train, i});
    EXPECT_EQ((std::set<std::uint32_t>(tint.begin(), tint.end()).size()), 3U) << i;
    different.insert(tint);
  }
  EXPECT_GT(different.size(), 990U);
}

TEST(Rgb300, EnlargesAsWorkedOutByHand) {
  // Positions of 300 out of 2: (j + 0.5) / 150 - 0.5; the first 75 are cut off.
  const std::vector<std::uint8_t> grey{0, 150, 0, 150};
  const auto pixels = colour_picture(grey, 2, 2, {256, 128, 0});
  const auto row_of_pixels = [&](std::size_t x) {
    return std::vector<int>(pixels.begin() + static_cast<std::ptrdiff_t>(3 * x),
                            pixels.begin() + static_cast<std::ptrdiff_t>(3 * x + 3));
  };
  EXPECT_EQ(row_of_pixels(0), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(row_of_pixels(74), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(row_of_pixels(75), (std::vector<int>{1, 0, 0})) << "0.5 upwards, 0.25 down";
  EXPECT_EQ(row_of_pixels(80), (std::vector<int>{6, 3, 0})) << "5.5 and 2.75";
  EXPECT_EQ(row_of_pixels(299), (std::vector<int>{150, 75, 0}));
  // Down as across.
  const auto turned = colour_picture(std::vector<std::uint8_t>{0, 0, 150, 150}, 2, 2, {256, 0, 0});
  EXPECT_EQ(turned[3 * 300 * 80], 6);
}

struct Place {
  std::uint32_t index, y, x;
  std::array<int, 3> colour;
};
/// Pixels of real digits, computed in Python by the textbook formula in floating point.
const std::vector<Place> kPlaces{
    {0, 238, 127, {199, 151, 233}}, {0, 57, 190, {100, 76, 117}},  {0, 240, 126, {199, 151, 233}},
    {0, 93, 100, {177, 135, 208}},  {0, 196, 152, {22, 17, 26}},   {0, 158, 181, {166, 126, 195}},
    {7, 161, 94, {58, 70, 98}},     {7, 183, 206, {65, 79, 110}},  {7, 214, 187, {144, 174, 242}},
    {7, 55, 188, {98, 119, 165}},   {7, 75, 174, {144, 174, 242}}, {7, 162, 156, {145, 176, 244}}};

TEST(RgbFolder, FilesHoldExactlyThePictures) {
  const test::TempDir temp;
  const RgbFolder folder(temp / "set", subset());
  folder.open();
  std::vector<std::uint8_t> planes(kRgbBytes);
  for (const Place& place : kPlaces) {
    const PictureId id{Half::train, place.index};
    EXPECT_EQ(folder.label(id), place.index == 0 ? 5 : 3) << "MNIST begins 5 0 4 1 9 2 1 3";
    if (folder.is_missing(id)) folder.make(id);
    EXPECT_EQ(folder.read(id, planes), fs::file_size(folder.path(id)));
    for (std::size_t channel = 0; channel < 3; ++channel) {
      EXPECT_EQ(planes[channel * 90000 + place.y * 300 + place.x], place.colour[channel])
          << place.index << ": " << place.y << ", " << place.x << ", " << channel;
    }
  }
  EXPECT_TRUE(fs::exists(temp / "set/train/5/00000.png"));
  EXPECT_TRUE(fs::exists(temp / "set/train/3/00007.png"));
}

TEST(RgbFolder, HoldsTheSameFilesHoweverManyMakeThem) {
  const test::TempDir temp;
  const RgbFolder folder(temp.path(), subset());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      folder.open();
      for (std::uint32_t index = 0; index < 6; ++index) folder.make({Half::test, index});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::uint8_t> planes(kRgbBytes);
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(temp.path())) {
    if (entry.is_regular_file()) ++files;
  }
  EXPECT_EQ(files, 7) << "six pictures and the manifest, nothing temporary";
  for (std::uint32_t index = 0; index < 6; ++index) {
    EXPECT_FALSE(folder.is_missing({Half::test, index}));
    folder.read({Half::test, index}, planes);
  }
  EXPECT_TRUE(folder.is_missing({Half::test, 6}));
  EXPECT_TRUE(folder.is_missing({Half::train, 0}));
}

std::string problem_of(const RgbFolder& folder) {
  try {
    folder.open();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(RgbFolder, AnotherSourceIsRefused) {
  const test::TempDir temp;
  const RgbFolder folder(temp.path(), subset());
  EXPECT_EQ(problem_of(folder), "");
  EXPECT_EQ(problem_of(folder), "") << "the second time";
  Mnist other = subset();
  other.test.labels.values[1999] ^= 1;
  const std::string problem = problem_of(RgbFolder(temp.path(), other));
  EXPECT_THAT(problem, HasSubstr((temp / "manifest.json").string()));
  EXPECT_THAT(problem, HasSubstr("another source"));
  EXPECT_THAT(problem, HasSubstr("--data rgb300=DIR"));
}

TEST(RgbFolder, AManifestIsNotBelieved) {
  const test::TempDir temp;
  const RgbFolder folder(temp.path(), subset());
  folder.open();
  std::string good;
  std::getline(std::ifstream(temp / "manifest.json"), good, '\0');
  std::string newer = good;
  newer.replace(newer.find("\"generator\": 1"), 14, "\"generator\": 2");
  const std::string long_one(100'000, ' ');
  for (const std::string& text :
       {newer, std::string(), std::string("[]"), std::string("{}"), good.substr(0, 40), long_one,
        std::string("{\"format\": \"\xff\"}"), std::string(5000, '[')}) {
    std::ofstream(temp / "manifest.json") << text;
    EXPECT_THAT(problem_of(folder), HasSubstr("manifest.json")) << text.substr(0, 80);
  }
  std::ofstream(temp / "manifest.json") << good;
  EXPECT_EQ(problem_of(folder), "");
  fs::remove(temp / "manifest.json");
  EXPECT_THAT(problem_of(folder), HasSubstr("manifest.json is missing"))
      << "files of unknown origin";
  EXPECT_FALSE(fs::exists(temp / "manifest.json"));
}

TEST(RgbFolder, ADamagedFileIsNamed) {
  const test::TempDir temp;
  const RgbFolder folder(temp.path(), subset());
  folder.open();
  const PictureId id{Half::train, 3};
  folder.make(id);
  const fs::path path = folder.path(id);
  fs::resize_file(path, fs::file_size(path) - 1);
  std::vector<std::uint8_t> planes(kRgbBytes);
  try {
    folder.read(id, planes);
    ADD_FAILURE() << "a shortened file was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
  }
}

TEST(RgbFolder, WhatCannotBeWrittenIsSaid) {
  const test::TempDir temp;
  const RgbFolder folder(temp.path(), subset());
  folder.open();
  folder.require_space(1);
  EXPECT_THROW(folder.require_space(std::uint64_t{1} << 40), Error);
  fs::remove_all(temp / "train");
  EXPECT_THROW(folder.make({Half::train, 0}), Error) << "there is no folder for it";
  std::ofstream(temp / "file") << "in the way";
  EXPECT_THROW(RgbFolder(temp / "file", subset()).open(), Error);
}

}  // namespace
}  // namespace scalemark::imaging
