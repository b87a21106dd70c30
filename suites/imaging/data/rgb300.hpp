// SPDX-License-Identifier: Apache-2.0
// MNIST as 300 x 300 colour PNG files, one folder per class. Generated once, then read.
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

/// Version of the generated pictures. Files of another version are rejected.
inline constexpr int kRgbGenerator = 1;

enum class Half { train, test };

/// A picture of the set, identified by its MNIST image.
struct PictureId {
  Half half = Half::train;
  std::uint32_t index = 0;
};

/// Weights of red, green and blue in units of 1/256. They differ, and depend only on the picture.
struct Tint {
  std::uint32_t red = 256, green = 256, blue = 256;
};
Tint tint_of(PictureId id);

/// Enlarges `grey`, [rows][columns], bilinearly and colours it with `tint`: bytes [300][300][3].
/// The source position of pixel j is max((j + 0.5) * rows / 300 - 0.5, 0). Integer arithmetic with
/// one rounding (halves upwards) gives the same bytes on every machine.
std::vector<std::uint8_t> colour_picture(std::span<const std::uint8_t> grey, std::uint32_t rows,
                                         std::uint32_t columns, Tint tint);

/// Decodes a 300 x 300 picture file into `planes`, [3][300][300]; returns the file's length. Throws
/// InputError.
std::uint64_t read_planes(const std::filesystem::path& file, std::span<std::uint8_t> planes);

/// Files of the set: train/LABEL/INDEX.png, test/LABEL/INDEX.png, and manifest.json, which records
/// their source and version. Immutable after construction: threads and processes may share it.
class RgbFolder {
 public:
  /// `source` must outlive the object.
  RgbFolder(std::filesystem::path root, const Mnist& source);

  /// Creates the folders and the manifest if they are missing. Throws InputError if the manifest
  /// belongs to another source or version, or if there are picture folders but no manifest.
  void open() const;

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path path(PictureId id) const;
  std::uint8_t label(PictureId id) const;
  bool is_missing(PictureId id) const;
  /// Generates one picture: writes a temporary file and renames it.
  void make(PictureId id) const;
  /// Throws Error if the file system has too little space for `files` files of 48 KiB.
  void require_space(std::uint64_t files) const;
  /// read_planes() of a picture.
  std::uint64_t read(PictureId id, std::span<std::uint8_t> planes) const {
    return read_planes(path(id), planes);
  }

 private:
  const LabelledImages& half(PictureId id) const;
  std::string manifest() const;
  void check_manifest() const;

  std::filesystem::path root_;
  const Mnist& source_;
};

}  // namespace scalemark::imaging
