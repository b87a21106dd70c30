// SPDX-License-Identifier: Apache-2.0
// One pass from stored pixels to the network's input: scale, normalise, resize, three channels.
#pragma once

#include <cstdint>
#include <vector>

namespace scalemark::imaging {

enum class Layout { nchw, nhwc };

/// Converts images of one size into inputs of another: v = (pixel / 255 - mean) / std, then
/// bilinear interpolation without aligned corners. The source position of pixel j is
///   max((j + 0.5) * in / size - 0.5, 0),
/// as in at::upsample_bilinear2d after at::sub and at::div. One channel is copied to three.
/// Immutable after construction, so threads may share it.
class Resampler {
 public:
  /// Converts `channels` (1 or 3) planes of `rows` x `columns` pixels to 3 planes of `size` x
  /// `size`.
  Resampler(std::int64_t channels, std::int64_t rows, std::int64_t columns, std::int64_t size,
            double mean, double std);

  /// Converts one image: pixels [channels][rows][columns] to values[3 * size * size] in `layout`.
  /// `Pixel` is a byte, or T for pixels that are already scaled and normalised.
  template <typename Pixel, typename T>
  void run(const Pixel* pixels, T* values, Layout layout) const;

  std::int64_t input_size() const { return channels_ * rows_ * columns_; }
  std::int64_t output_size() const { return 3 * size_ * size_; }

 private:
  /// For each output position: the two source positions and the weight of the second.
  struct Taps {
    std::vector<std::int32_t> from, to;
    std::vector<double> share;
  };
  static Taps taps(std::int64_t in, std::int64_t out);
  template <typename Pixel, typename T>
  void plane(const Pixel* pixels, T* values, std::int64_t step) const;
  template <typename Pixel, typename T>
  void plane_as_it_is(const Pixel* pixels, T* values, std::int64_t step) const;
  template <typename T>
  T value_of(std::uint8_t pixel) const {
    return static_cast<T>(table_[pixel]);
  }
  template <typename T>
  T value_of(T pixel) const {
    return pixel;
  }

  std::int64_t channels_, rows_, columns_, size_;
  Taps across_, down_;
  std::vector<double> table_;  ///< normalised value of each byte
};

extern template void Resampler::run(const std::uint8_t*, float*, Layout) const;
extern template void Resampler::run(const std::uint8_t*, double*, Layout) const;
extern template void Resampler::run(const float*, float*, Layout) const;
extern template void Resampler::run(const double*, double*, Layout) const;

}  // namespace scalemark::imaging
