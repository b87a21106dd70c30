// SPDX-License-Identifier: Apache-2.0
// Bilinear resizing row by row: each source row is stretched once, then neighbours are blended.
#include "suites/imaging/data/resample.hpp"

#include <algorithm>
#include <utility>

namespace scalemark::imaging {
namespace {

template <typename T>
void copy_to_other_channels(T* values, std::int64_t plane, Layout layout) {
  if (layout == Layout::nchw) {
    std::copy_n(values, plane, values + plane);
    std::copy_n(values, plane, values + 2 * plane);
    return;
  }
  for (std::int64_t i = 0; i < plane; ++i) {
    const T value = values[3 * i];
    values[3 * i + 1] = value;
    values[3 * i + 2] = value;
  }
}

}  // namespace

Resampler::Taps Resampler::taps(std::int64_t in, std::int64_t out) {
  Taps result;
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  for (std::int64_t j = 0; j < out; ++j) {
    const double place = std::max((static_cast<double>(j) + 0.5) * scale - 0.5, 0.0);
    const std::int64_t from = std::min(static_cast<std::int64_t>(place), in - 1);
    result.from.push_back(static_cast<std::int32_t>(from));
    result.to.push_back(static_cast<std::int32_t>(std::min(from + 1, in - 1)));
    result.share.push_back(place - static_cast<double>(from));
  }
  return result;
}

Resampler::Resampler(std::int64_t channels, std::int64_t rows, std::int64_t columns,
                     std::int64_t size, double mean, double std)
    : channels_(channels),
      rows_(rows),
      columns_(columns),
      size_(size),
      across_(taps(columns, size)),
      down_(taps(rows, size)),
      table_(256) {
  for (std::size_t byte = 0; byte < table_.size(); ++byte)
    table_[byte] = (static_cast<double>(byte) / 255 - mean) / std;
}

template <typename Pixel, typename T>
void Resampler::plane_as_it_is(const Pixel* pixels, T* values, std::int64_t step) const {
  for (std::int64_t i = 0; i < rows_ * columns_; ++i) values[step * i] = value_of<T>(pixels[i]);
}

template <typename Pixel, typename T>
void Resampler::plane(const Pixel* pixels, T* values, std::int64_t step) const {
  const auto width = static_cast<std::size_t>(size_);
  // Two stretched source rows, kept per thread.
  static thread_local std::vector<T> upper, lower;
  upper.resize(width);
  lower.resize(width);
  const auto stretch = [&](std::int32_t row, std::vector<T>& out) {
    const Pixel* line = pixels + row * columns_;
    for (std::size_t i = 0; i < width; ++i) {
      const T a = value_of<T>(line[across_.from[i]]);
      const T b = value_of<T>(line[across_.to[i]]);
      out[i] = a + static_cast<T>(across_.share[i]) * (b - a);
    }
  };
  std::int32_t have_upper = -1, have_lower = -1;
  for (std::size_t j = 0; j < width; ++j) {
    const std::int32_t from = down_.from[j], to = down_.to[j];
    if (from != have_upper) {
      if (from == have_lower) {
        std::swap(upper, lower);
        have_lower = have_upper;
      } else {
        stretch(from, upper);
      }
      have_upper = from;
    }
    if (to != have_lower) {
      stretch(to, lower);
      have_lower = to;
    }
    const auto share = static_cast<T>(down_.share[j]);
    T* out = values + static_cast<std::int64_t>(j) * size_ * step;
    const T* a = upper.data();
    const T* b = lower.data();
    if (step == 1) {
      for (std::size_t i = 0; i < width; ++i) out[i] = a[i] + share * (b[i] - a[i]);
    } else {
      for (std::size_t i = 0; i < width; ++i) out[3 * i] = a[i] + share * (b[i] - a[i]);
    }
  }
}

template <typename Pixel, typename T>
void Resampler::run(const Pixel* pixels, T* values, Layout layout) const {
  const std::int64_t area = size_ * size_;
  const std::int64_t step = layout == Layout::nhwc ? 3 : 1;
  for (std::int64_t channel = 0; channel < channels_; ++channel) {
    const Pixel* from = pixels + channel * rows_ * columns_;
    T* to = values + channel * (layout == Layout::nhwc ? 1 : area);
    if (rows_ == size_ && columns_ == size_)
      plane_as_it_is(from, to, step);
    else
      plane(from, to, step);
  }
  if (channels_ == 1) copy_to_other_channels(values, area, layout);
}

template void Resampler::run(const std::uint8_t*, float*, Layout) const;
template void Resampler::run(const std::uint8_t*, double*, Layout) const;
template void Resampler::run(const float*, float*, Layout) const;
template void Resampler::run(const double*, double*, Layout) const;

}  // namespace scalemark::imaging
