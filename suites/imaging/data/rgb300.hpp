// SPDX-License-Identifier: Apache-2.0
// MNIST as 300 x 300 colour pictures in PNG files, one folder a class. Made once; then read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "suites/imaging/data/mnist.hpp"

namespace scalemark::imaging {

inline constexpr std::uint32_t kRgbSize = 300;
inline constexpr std::uint64_t kRgbBytes = std::uint64_t{3} * kRgbSize * kRgbSize;

/// Changes when the pictures do: files of another version are not used.
inline constexpr int kRgbGenerator = 1;

enum class Half { train, test };

/// A picture of the set: which image of MNIST it is made of.
struct PictureId {
  Half half = Half::train;
  std::uint32_t index = 0;
};

/// Shares of red, green and blue in 256, different ones: a fixed function of the picture.
struct Tint {
  std::uint32_t red = 256, green = 256, blue = 256;
};
Tint tint_of(PictureId id);

/// `grey`, [rows][columns], enlarged bilinearly (source position max((j + 0.5) * rows / 300 - 0.5,
/// 0) of pixel j) in the colour `tint`: bytes [300][300][3]. Computed in whole numbers and rounded
/// once, halves upwards, so that every machine makes the same.
std::vector<std::uint8_t> colour_picture(std::span<const std::uint8_t> grey, std::uint32_t rows,
                                         std::uint32_t columns, Tint tint);

/// The files of the set: train/LABEL/INDEX.png, test/LABEL/INDEX.png, and what they were made of in
/// manifest.json. Constant after construction; threads may share it, and so may processes.
class RgbFolder {
 public:
  /// `source` must outlive it.
  RgbFolder(std::filesystem::path root, const Mnist& source);

  /// Makes the folders and the manifest if they are missing. Throws InputError where the manifest
  /// is of another source or version, or where files are without one.
  void open() const;

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path path(PictureId id) const;
  std::uint8_t label(PictureId id) const;
  bool is_missing(PictureId id) const;
  /// Writes the file under a temporary name and renames it.
  void make(PictureId id) const;
  /// Throws Error unless `files` of usual length fit into the file system.
  void require_space(std::uint64_t files) const;
  /// Fills `planes`, [3][300][300]; returns the length of the file. Throws InputError.
  std::uint64_t read(PictureId id, std::span<std::uint8_t> planes) const;

 private:
  const LabelledImages& half(PictureId id) const;
  std::string manifest() const;
  void check_manifest() const;

  std::filesystem::path root_;
  const Mnist& source_;
};

}  // namespace scalemark::imaging
