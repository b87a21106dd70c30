// SPDX-License-Identifier: Apache-2.0
// DALI's library and pipeline: what is said where it is missing, and what happens when it fails.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "suites/imaging/data/png.hpp"
#include "suites/imaging/loader/dali_library.hpp"
#include "suites/imaging/loader/dali_pipeline.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::imaging {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(DaliLibrary, SaysWhyItCannotBeLoaded) {
  const DaliLibrary nowhere({"/nowhere/libdali_operators.so", "libnowhere.so"});
  EXPECT_THAT(nowhere.problem, AllOf(HasSubstr("cannot be loaded: /nowhere/libdali_operators.so"),
                                     HasSubstr("No such file")));
  const DaliLibrary other({"/nowhere/libdali_operators.so", "libm.so.6"});
  EXPECT_THAT(other.problem, AllOf(HasSubstr("needs DALI 2."), HasSubstr("daliInit")));
}

TEST(DaliLibrary, IsThere) {
  const DaliLibrary dali;
  EXPECT_EQ(dali.problem, "");
  EXPECT_EQ(why_no_dali({}), "");
}

TEST(DaliPipeline, RefusesWhatDaliRefuses) {
  EXPECT_THAT(message_of([] { DaliPipeline({.threads = 0}); }), HasSubstr("number of threads: 0"));
}

/// Worked out by hand: source positions -0.25, 0.25, 0.75, 1.25 of two pixels; (x - 0.5) / 0.25.
TEST(DaliPipeline, BlendsAndNormalises) {
  DaliPipeline pipeline({.rows = 1, .columns = 2, .image = 4, .mean = 0.5, .std = 0.25});
  const std::vector<std::uint8_t> pixels{0, 255};
  pipeline.feed(pixels.data());
  const std::shared_ptr<float> result = pipeline.take(nullptr);
  for (int row = 0; row < 3 * 4; ++row) {
    const std::vector<float> expected{-2, -1, 1, 2};
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(result.get()[row * 4 + i], expected[i], 1e-6) << row;
  }
}

/// A picture whose red, green and blue differ at each place, written as PNG.
std::vector<std::uint8_t> colours(std::uint32_t size, std::uint32_t salt) {
  std::vector<std::uint8_t> pixels;
  for (std::uint32_t i = 0; i < 3 * size * size; ++i)
    pixels.push_back(static_cast<std::uint8_t>(i * 7 + i / 11 + salt));
  return pixels;
}

std::string written(const test::TempDir& folder, const std::string& name,
                    const std::vector<std::uint8_t>& bytes) {
  const std::filesystem::path path = folder / name;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  return path.string();
}

TEST(DaliPipeline, ReadsAndDecodesFiles) {
  const test::TempDir folder;
  constexpr std::uint32_t kSize = 20;
  std::vector<std::string> files;
  for (const std::uint32_t salt : {0U, 100U}) {
    const std::string name = "a picture " + std::to_string(salt) + ".png";
    files.push_back(written(folder, name, encode_png(colours(kSize, salt), kSize)));
  }
  for (const bool channels_last : {true, false}) {
    DaliPipeline pipeline({.files = true,
                           .batch = 2,
                           .channels = 3,
                           .rows = kSize,
                           .columns = kSize,
                           .image = kSize,
                           .mean = 0.5,
                           .std = 0.25,
                           .channels_last = channels_last,
                           .threads = 2});
    for (const bool swapped : {false, true}) {
      pipeline.feed_files(swapped ? std::vector{files[1], files[0]} : files);
      const std::shared_ptr<float> result = pipeline.take(nullptr);
      for (std::size_t picture = 0; picture < 2; ++picture) {
        const auto pixels = colours(kSize, (picture == 1) != swapped ? 100 : 0);
        constexpr std::size_t area = kSize * kSize;
        for (std::size_t i = 0; i < area; ++i) {
          for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t at = picture * 3 * area + (channels_last ? 3 * i + k : k * area + i);
            ASSERT_NEAR(result.get()[at], (pixels[3 * i + k] / 255.0 - 0.5) / 0.25, 1e-5);
          }
        }
      }
    }
  }
}

TEST(DaliPipeline, AFileThatIsMissingOrDamagedIsSaid) {
  const test::TempDir folder;
  const std::vector<std::uint8_t> whole = encode_png(colours(20, 0), 20);
  const std::string damaged =
      written(folder, "short.png", {whole.begin(), whole.begin() + std::ssize(whole) / 2});
  const std::string missing = (folder / "missing.png").string();
  for (const std::string& file : {damaged, missing}) {
    DaliPipeline pipeline({.files = true, .channels = 3, .rows = 20, .columns = 20, .image = 20});
    const std::string message = message_of([&] {
      pipeline.feed_files({file});
      pipeline.take(nullptr);
    });
    EXPECT_THAT(message, HasSubstr("DALI: ")) << file;
    if (file == missing) {
      EXPECT_THAT(message, HasSubstr("missing.png"));
    }
  }
  DaliPipeline pipeline(
      {.files = true, .batch = 2, .channels = 3, .rows = 20, .columns = 20, .image = 20});
  EXPECT_THAT(message_of([&] { pipeline.feed_files({missing}); }),
              HasSubstr("another number of files"));
}

TEST(DaliPipeline, AResultMayOutliveThePipelineAndTheFedPixels) {
  std::shared_ptr<float> kept;
  {
    const std::vector<std::uint8_t> pixels(28 * 28, 51);
    DaliPipeline pipeline({.image = 100});
    pipeline.feed(pixels.data());
    kept = pipeline.take(nullptr);
  }
  const std::vector<std::uint8_t> others(28 * 28, 255);
  DaliPipeline pipeline({.image = 100});
  for (int i = 0; i < 10; ++i) {
    pipeline.feed(others.data());
    EXPECT_EQ(pipeline.take(nullptr).get()[0], 1.0F);
  }
  for (int i = 0; i < 3 * 100 * 100; ++i) ASSERT_NEAR(kept.get()[i], 0.2, 1e-6) << i;
}

/// 2^24 squared fp32 values are more than any address space: an operator fails in DALI's thread.
TEST(DaliPipeline, AFailureInAThreadReachesTheCallerAndStays) {
  const std::vector<std::uint8_t> pixels(28 * 28, 0);
  DaliPipeline pipeline({.image = 1 << 24});
  pipeline.feed(pixels.data());
  EXPECT_THAT(message_of([&] { pipeline.take(nullptr); }),
              AllOf(HasSubstr("DALI: "), HasSubstr("Resize"), HasSubstr("bad_alloc")));
  EXPECT_THROW(pipeline.take(nullptr), OutOfMemory) << "it does not wait for what never comes";
  EXPECT_THROW(pipeline.feed(pixels.data()), OutOfMemory);
}

/// What DALI gives is looked at before it is used: an image of no rows keeps its 28.
TEST(DaliPipeline, AResultOfAnotherSizeIsAnError) {
  const std::vector<std::uint8_t> pixels(28 * 28, 0);
  DaliPipeline pipeline({.image = 0});
  pipeline.feed(pixels.data());
  EXPECT_THAT(message_of([&] { pipeline.take(nullptr); }), HasSubstr("DALI gave 2352 values"));
}

}  // namespace
}  // namespace scalemark::imaging
