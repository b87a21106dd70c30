// SPDX-License-Identifier: Apache-2.0
// MNIST: the subset built into the program, or the full set in a folder.
#pragma once

#include <cstdint>
#include <string>

#include "suites/imaging/data/idx.hpp"

namespace scalemark::imaging {

inline constexpr std::uint8_t kMnistClasses = 10;
/// Mean and standard deviation of pixels in [0, 1].
inline constexpr double kMnistMean = 0.1307, kMnistStd = 0.3081;

/// Images [count, rows, columns] and their labels, each below kMnistClasses.
struct LabelledImages {
  Idx images;
  Idx labels;
  std::uint32_t count() const { return images.shape[0]; }
};

struct Mnist {
  LabelledImages train, test;
  std::string name;  ///< "mnist_subset" (built in: first 10,000 and 2,000 images) or "mnist"
};

/// Loads MNIST from folder `dir`; if `dir` is empty, the built-in subset. The folder holds
/// train-images-idx3-ubyte, train-labels-idx1-ubyte and the same files with t10k-. Names may end in
/// .gz or have '.idx' instead of '-idx'. Throws InputError with the file name if a file is missing
/// or not IDX, or if images and labels do not match.
Mnist load_mnist(const std::string& dir = {});

}  // namespace scalemark::imaging
