// SPDX-License-Identifier: Apache-2.0
// Stages, convolutions and multiply-add counts of MobileNetV2.
#include "suites/imaging/model/mobilenet_shape.hpp"

#include <algorithm>
#include <utility>

#include "common/base/error.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kUsualImage = 224;

}  // namespace

std::int64_t round_channels(double channels) {
  const auto rounded = std::max<std::int64_t>(8, static_cast<std::int64_t>(channels + 4) / 8 * 8);
  return static_cast<double>(rounded) < 0.9 * channels ? rounded + 8 : rounded;
}

double Convolution::multiply_adds() const {
  const double pixels = static_cast<double>(out_size()) * static_cast<double>(out_size());
  return pixels * static_cast<double>(out * (in / groups) * kernel * kernel);
}

bool Convolution::same_work(const Convolution& other) const {
  return in == other.in && out == other.out && kernel == other.kernel && stride == other.stride &&
         groups == other.groups && size == other.size;
}

std::vector<Convolution> convolutions(std::int64_t image, double width) {
  std::vector<Convolution> list;
  const auto append = [&](Convolution next) {
    next.size = list.empty() ? image : list.back().out_size();
    list.push_back(std::move(next));
  };
  std::int64_t channels = round_channels(static_cast<double>(kStemChannels) * width);
  append({.name = "stem", .in = 3, .out = channels, .kernel = 3, .stride = 2});
  int block = 0;
  for (const Stage& stage : kStages) {
    const std::int64_t out = round_channels(static_cast<double>(stage.channels) * width);
    for (std::int64_t i = 0; i < stage.repeats; ++i) {
      const std::string number = std::to_string(++block);
      const std::int64_t hidden = channels * stage.expansion, stride = i == 0 ? stage.stride : 1;
      if (stage.expansion != 1) append({.name = "expand" + number, .in = channels, .out = hidden});
      append({.name = "depthwise" + number,
              .in = hidden,
              .out = hidden,
              .kernel = 3,
              .stride = stride,
              .groups = hidden});
      append({.name = "project" + number, .in = hidden, .out = out});
      channels = out;
    }
  }
  append({.name = "head",
          .in = channels,
          .out = round_channels(static_cast<double>(kHeadChannels) * std::max(1.0, width))});
  return list;
}

std::vector<Convolution> with_residual_sum(const std::vector<Convolution>& layers) {
  std::vector<Convolution> found;
  for (std::size_t i = 2; i < layers.size(); ++i) {
    const Convolution &first = layers[i - 2], &last = layers[i];
    if (first.name.starts_with("expand") && last.name.starts_with("project") &&
        first.in == last.out && first.size == last.out_size())
      found.push_back(last);
  }
  return found;
}

std::vector<std::string> distinct_convolutions() {
  std::vector<std::string> names;
  std::vector<Convolution> kept;
  for (const Convolution& layer : convolutions(kUsualImage)) {
    if (std::ranges::any_of(kept, [&](const Convolution& other) { return other.same_work(layer); }))
      continue;
    kept.push_back(layer);
    names.push_back(layer.name);
  }
  return names;
}

std::string distinct_convolution(const std::string& name) {
  const std::vector<Convolution> layers = convolutions(kUsualImage);
  const Convolution one = convolution(name, kUsualImage);
  return std::ranges::find_if(layers,
                              [&](const Convolution& other) { return other.same_work(one); })
      ->name;
}

std::int64_t occurrences(const std::string& name) {
  const Convolution one = convolution(name, kUsualImage);
  return std::ranges::count_if(convolutions(kUsualImage),
                               [&](const Convolution& other) { return other.same_work(one); });
}

Convolution convolution(const std::string& name, std::int64_t image) {
  for (const Convolution& layer : convolutions(image)) {
    if (layer.name == name) return layer;
  }
  throw Error("MobileNetV2 has no convolution '" + name + "'");
}

double multiply_adds(std::int64_t image, std::int64_t classes, double width) {
  const std::vector<Convolution> list = convolutions(image, width);
  double total = static_cast<double>(list.back().out * classes);
  for (const Convolution& convolution : list) total += convolution.multiply_adds();
  return total;
}

}  // namespace scalemark::imaging
