// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 as numbers: stages, convolutions and multiply-adds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace scalemark::imaging {

/// A row of table 2 of the paper (Sandler et al. 2018): `repeats` blocks, the first with `stride`.
struct Stage {
  std::int64_t expansion, channels, repeats, stride;
};
inline constexpr std::array<Stage, 7> kStages{{{1, 16, 1, 1},
                                               {6, 24, 2, 2},
                                               {6, 32, 3, 2},
                                               {6, 64, 4, 2},
                                               {6, 96, 3, 1},
                                               {6, 160, 3, 2},
                                               {6, 320, 1, 1}}};
inline constexpr std::int64_t kStemChannels = 32, kHeadChannels = 1280;
inline constexpr std::int64_t kClasses = 10;  ///< of the trainings here

/// Channels rounded to the nearest multiple of 8 (at least 8), never down by more than 10 %.
std::int64_t round_channels(double channels);

/// One convolution on square images: padding (kernel - 1) / 2, no bias.
struct Convolution {
  std::string
      name;  ///< stem, expand2, depthwise2, project2, ..., head; the number is that of the block
  std::int64_t in = 0, out = 0, kernel = 1, stride = 1, groups = 1;
  std::int64_t size = 0;  ///< height and width of the input
  std::int64_t out_size() const { return (size - 1) / stride + 1; }
  /// Multiply-adds per image.
  double multiply_adds() const;
  bool same_work(const Convolution& other) const;
};

/// All 52 convolutions in order, for input images of `image` x `image`.
std::vector<Convolution> convolutions(std::int64_t image, double width = 1.0);

/// Those of these convolutions whose results a block adds its input to: the last of a block that
/// keeps the shape of its input.
std::vector<Convolution> with_residual_sum(const std::vector<Convolution>& layers);

/// Names of the distinct convolutions: of those with the same work (for 224 x 224 images) only the
/// first is listed.
std::vector<std::string> distinct_convolutions();
/// The one of these with the same work as this convolution. Throws Error for an unknown name.
std::string distinct_convolution(const std::string& name);
/// Number of the 52 convolutions with the same work as this one (for 224 x 224 images), itself
/// included. Throws Error for an unknown name.
std::int64_t occurrences(const std::string& name);
/// The convolution with this name. Throws Error for an unknown name.
Convolution convolution(const std::string& name, std::int64_t image);

/// Multiply-adds per image of a forward pass: convolutions and classifier.
double multiply_adds(std::int64_t image, std::int64_t classes, double width = 1.0);

}  // namespace scalemark::imaging
