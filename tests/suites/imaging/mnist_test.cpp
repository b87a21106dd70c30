// SPDX-License-Identifier: Apache-2.0
// The built-in subset against published facts of MNIST, and folders with the full set.
#include "suites/imaging/data/mnist.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::imaging {
namespace {

const std::filesystem::path kData =
    std::filesystem::path(SCALEMARK_SOURCE_DIR) / "suites/imaging/data/files";

std::string error_of(const std::filesystem::path& dir) {
  try {
    load_mnist(dir.string());
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

void copy_all(const std::filesystem::path& to) {
  for (const auto& entry : std::filesystem::directory_iterator(kData)) {
    if (entry.path().extension() == ".gz")
      std::filesystem::copy(entry.path(), to / entry.path().filename());
  }
}

TEST(Mnist, TheBuiltInSubsetIsMnist) {
  const Mnist set = load_mnist();
  EXPECT_EQ(set.name, "mnist_subset");
  EXPECT_EQ(set.train.images.shape, (std::vector<std::uint32_t>{10000, 28, 28}));
  EXPECT_EQ(set.test.images.shape, (std::vector<std::uint32_t>{2000, 28, 28}));
  // The first labels of both sets, as every tutorial shows them.
  const std::array<std::uint8_t, 10> train{5, 0, 4, 1, 9, 2, 1, 3, 1, 4},
      test{7, 2, 1, 0, 4, 1, 4, 9, 5, 9};
  EXPECT_TRUE(std::equal(train.begin(), train.end(), set.train.labels.values.begin()));
  EXPECT_TRUE(std::equal(test.begin(), test.end(), set.test.labels.values.begin()));
  // First inked row of the first training image, a five.
  const auto* row = set.train.images.values.data() + 5 * 28;
  EXPECT_EQ(row[11], 0);
  EXPECT_EQ(row[12], 3);
  EXPECT_EQ(row[13], 18);
}

TEST(Mnist, AFolderGivesTheSameImagesUnderEveryUsualName) {
  const test::TempDir dir;
  copy_all(dir.path());
  const Mnist built_in = load_mnist();
  Mnist set = load_mnist(dir.path().string());
  EXPECT_EQ(set.name, "mnist");
  EXPECT_EQ(set.train.images.values, built_in.train.images.values);
  // Plain, with the name that unpacking by torchvision or by hand gives.
  std::filesystem::remove(dir / "t10k-labels-idx1-ubyte.gz");
  std::ofstream(dir / "t10k-labels.idx1-ubyte", std::ios::binary)
      .write("\0\0\x08\x01\0\0\x07\xd0", 8)
      .write(reinterpret_cast<const char*>(built_in.test.labels.values.data()), 2000);
  set = load_mnist(dir.path().string());
  EXPECT_EQ(set.test.labels.values, built_in.test.labels.values);
}

TEST(Mnist, AMissingFileIsNamed) {
  const test::TempDir dir;
  EXPECT_NE(error_of(dir.path()).find("train-images-idx3-ubyte"), std::string::npos);
  EXPECT_NE(error_of(dir / "nowhere").find("nowhere"), std::string::npos);
  copy_all(dir.path());
  std::filesystem::remove(dir / "t10k-labels-idx1-ubyte.gz");
  EXPECT_NE(error_of(dir.path()).find("t10k-labels-idx1-ubyte"), std::string::npos);
}

TEST(Mnist, ImagesAndLabelsThatDoNotBelongTogetherAreRefused) {
  const test::TempDir dir;
  copy_all(dir.path());
  std::filesystem::copy(kData / "t10k-labels-idx1-ubyte.gz", dir / "train-labels-idx1-ubyte.gz",
                        std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(error_of(dir.path()).find("10000 images, but 2000 labels"), std::string::npos)
      << error_of(dir.path());
  std::filesystem::copy(kData / "train-labels-idx1-ubyte.gz", dir / "train-images-idx3-ubyte.gz",
                        std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(error_of(dir.path()).find("1 dimensions, not 3"), std::string::npos)
      << error_of(dir.path());
}

TEST(Mnist, ALabelThatIsNoDigitIsRefused) {
  const test::TempDir dir;
  copy_all(dir.path());
  std::filesystem::remove(dir / "t10k-labels-idx1-ubyte.gz");
  std::string labels(2000, '\x03');
  labels[7] = '\x0a';
  std::ofstream(dir / "t10k-labels-idx1-ubyte", std::ios::binary)
          .write("\0\0\x08\x01\0\0\x07\xd0", 8)
      << labels;
  EXPECT_NE(error_of(dir.path()).find("label 10 of image 7; allowed: 0 to 9"), std::string::npos)
      << error_of(dir.path());
}

}  // namespace
}  // namespace scalemark::imaging
