// SPDX-License-Identifier: Apache-2.0
// Loads MNIST from a folder or from the copy embedded in the program.
#include "suites/imaging/data/mnist.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"

// Files of the subset, embedded by data/embed.s.in.
extern "C" {
extern const std::uint8_t scalemark_mnist_train_images[], scalemark_mnist_train_images_end[];
extern const std::uint8_t scalemark_mnist_train_labels[], scalemark_mnist_train_labels_end[];
extern const std::uint8_t scalemark_mnist_test_images[], scalemark_mnist_test_images_end[];
extern const std::uint8_t scalemark_mnist_test_labels[], scalemark_mnist_test_labels_end[];
}

namespace scalemark::imaging {
namespace {

LabelledImages paired(Idx images, Idx labels, const std::string& origin) {
  if (images.shape.size() != 3) {
    throw InputError(fmt::format("{}: images have {} dimensions, not 3 (count, rows, columns)",
                                 origin, images.shape.size()));
  }
  if (labels.shape.size() != 1 || labels.shape[0] != images.shape[0]) {
    throw InputError(
        fmt::format("{}: {} images, but {} labels", origin, images.shape[0], labels.values.size()));
  }
  const auto wrong = std::ranges::find_if(
      labels.values, [](std::uint8_t label) { return label >= kMnistClasses; });
  if (wrong != labels.values.end()) {
    throw InputError(fmt::format("{}: label {} of image {}; allowed: 0 to {}", origin, *wrong,
                                 wrong - labels.values.begin(), kMnistClasses - 1));
  }
  return {std::move(images), std::move(labels)};
}

/// Example: `stem` = train-images, `kind` = idx3-ubyte. Tries all file names in common use.
Idx read_part(const std::filesystem::path& dir, const std::string& stem, const std::string& kind) {
  for (const char* separator : {"-", "."}) {
    for (const char* ending : {".gz", ""}) {
      const auto path = dir / (stem + separator + kind + ending);
      if (std::filesystem::exists(path)) return read_idx(path);
    }
  }
  throw InputError(fmt::format("{}: no file {}-{} or {}-{}.gz: not a folder with MNIST",
                               dir.string(), stem, kind, stem, kind));
}

LabelledImages read_half(const std::filesystem::path& dir, const std::string& half) {
  Idx images = read_part(dir, half + "-images", "idx3-ubyte");
  Idx labels = read_part(dir, half + "-labels", "idx1-ubyte");
  return paired(std::move(images), std::move(labels), (dir / half).string());
}

Mnist built_in() {
  const auto part = [](const std::uint8_t* begin, const std::uint8_t* end) {
    return parse_idx({begin, end}, "built-in MNIST subset");
  };
  return {.train = paired(part(scalemark_mnist_train_images, scalemark_mnist_train_images_end),
                          part(scalemark_mnist_train_labels, scalemark_mnist_train_labels_end),
                          "built-in training set"),
          .test = paired(part(scalemark_mnist_test_images, scalemark_mnist_test_images_end),
                         part(scalemark_mnist_test_labels, scalemark_mnist_test_labels_end),
                         "built-in test set"),
          .name = "mnist_subset"};
}

}  // namespace

Mnist load_mnist(const std::string& dir) {
  if (dir.empty()) return built_in();
  return {.train = read_half(dir, "train"), .test = read_half(dir, "t10k"), .name = "mnist"};
}

}  // namespace scalemark::imaging
