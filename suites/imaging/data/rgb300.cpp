// SPDX-License-Identifier: Apache-2.0
// Generates the 300 x 300 pictures and manages the folder that stores them.
#include "suites/imaging/data/rgb300.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/text.hpp"
#include "common/golden/fill.hpp"
#include "suites/imaging/data/png.hpp"

namespace scalemark::imaging {
namespace {

namespace fs = std::filesystem;

/// Largest file for MNIST: 46 kB; average: 33 kB.
constexpr std::uint64_t kSpacePerFile = 48 << 10;
constexpr std::uintmax_t kMaxManifestBytes = 64 << 10;
constexpr const char* kManifest = "manifest.json";

std::string name_of(Half half) { return half == Half::train ? "train" : "test"; }

/// Interpolation between two source pixels: `share` / (2 * 300) is the weight of the second.
struct Tap {
  std::uint32_t from = 0, to = 0, share = 0;
};

Tap tap(std::uint32_t pixel, std::uint32_t inputs) {
  const std::int64_t place = std::int64_t{2 * pixel + 1} * inputs - kRgbSize;
  const auto at = static_cast<std::uint32_t>(std::max<std::int64_t>(place, 0));
  const std::uint32_t from = at / (2 * kRgbSize);
  return {from, std::min(from + 1, inputs - 1), at % (2 * kRgbSize)};
}

/// FNV-1a over all images and labels.
std::uint64_t fingerprint(const Mnist& source) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const Idx* part :
       {&source.train.images, &source.train.labels, &source.test.images, &source.test.labels}) {
    for (const std::uint8_t byte : part->values) hash = (hash ^ byte) * 0x100000001b3U;
  }
  return hash;
}

/// Writes `bytes` to a temporary file next to `path`, then calls `publish`. Removes it on failure.
template <typename Bytes, typename Publish>
void write_beside(const fs::path& path, const Bytes& bytes, const Publish& publish) {
  const fs::path temporary = make_temporary(path.parent_path(), path.filename().string());
  std::error_code error;
  {
    std::ofstream file(temporary, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) error = std::error_code(errno, std::generic_category());
  }
  if (!error) publish(temporary, error);
  std::error_code ignored;
  fs::remove(temporary, ignored);  // already gone if it was renamed
  if (error) throw Error(fmt::format("{} cannot be written: {}", path.string(), error.message()));
}

}  // namespace

Tint tint_of(PictureId id) {
  std::uint64_t hash = golden::word(kRgbGenerator, static_cast<std::uint64_t>(id.half), id.index);
  const auto draw = [&](std::uint64_t below) {
    const std::uint64_t value = hash % below;
    hash /= below;
    return static_cast<std::uint32_t>(value);
  };
  // Three ranges that do not overlap, in one of six orders.
  std::array<std::uint32_t, 3> shares{216 + draw(41), 172 + draw(41), 128 + draw(41)};
  std::rotate(shares.begin(), shares.begin() + draw(3), shares.end());
  if (draw(2) == 1) std::swap(shares[0], shares[1]);
  return {shares[0], shares[1], shares[2]};
}

std::vector<std::uint8_t> colour_picture(std::span<const std::uint8_t> grey, std::uint32_t rows,
                                         std::uint32_t columns, Tint tint) {
  constexpr std::uint64_t kWhole = 2 * kRgbSize;           // the weight 1 in units of Tap::share
  constexpr std::uint64_t kScale = kWhole * kWhole * 256;  // rows * columns * tint
  std::vector<std::uint8_t> pixels(kRgbBytes);
  auto out = pixels.begin();
  for (std::uint32_t y = 0; y < kRgbSize; ++y) {
    const Tap down = tap(y, rows);
    const std::uint8_t* upper = grey.data() + std::size_t{down.from} * columns;
    const std::uint8_t* lower = grey.data() + std::size_t{down.to} * columns;
    for (std::uint32_t x = 0; x < kRgbSize; ++x) {
      const Tap across = tap(x, columns);
      const auto stretched = [&](const std::uint8_t* row) {
        return (kWhole - across.share) * row[across.from] + across.share * row[across.to];
      };
      const std::uint64_t value =
          (kWhole - down.share) * stretched(upper) + down.share * stretched(lower);
      for (const std::uint32_t share : {tint.red, tint.green, tint.blue})
        *out++ = static_cast<std::uint8_t>((value * share + kScale / 2) / kScale);
    }
  }
  return pixels;
}

std::uint64_t read_planes(const fs::path& file, std::span<std::uint8_t> planes) {
  static thread_local std::vector<std::uint8_t> pixels(kRgbBytes);
  const std::uint64_t bytes = read_png(file, pixels, kRgbSize);
  constexpr std::size_t area = std::size_t{kRgbSize} * kRgbSize;
  for (std::size_t i = 0; i < area; ++i) {
    for (std::size_t channel = 0; channel < 3; ++channel)
      planes[channel * area + i] = pixels[3 * i + channel];
  }
  return bytes;
}

RgbFolder::RgbFolder(fs::path root, const Mnist& source)
    : root_(std::move(root)), source_(source) {}

std::string RgbFolder::manifest() const {
  return nlohmann::json{{"format", "scalemark-rgb300"},
                        {"generator", kRgbGenerator},
                        {"source", fmt::format("{:016x}", fingerprint(source_))},
                        {"source_name", source_.name}}
             .dump(2) +
         "\n";
}

void RgbFolder::check_manifest() const {
  const fs::path path = root_ / kManifest;
  const auto refuse = [&](const std::string& why) {
    throw InputError(
        fmt::format("{}: {}; remove the folder {}, or name another one with --data rgb300=DIR",
                    path.string(), why, root_.string()));
  };
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error) refuse(error.message());
  if (bytes > kMaxManifestBytes) refuse("too long for a manifest");
  std::ifstream file(path, std::ios::binary);
  const auto found = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  const auto wanted = nlohmann::json::parse(manifest());
  if (!found.is_object()) refuse("no JSON object");
  for (const char* field : {"format", "generator", "source"}) {
    const auto value = found.find(field);
    if (value != found.end() && *value == wanted[field]) continue;
    refuse(fmt::format(
        "the images were made from another source or by another version ({} is {}, not {})", field,
        value == found.end()
            ? "missing"
            : text::printable(value->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace),
                              80),
        wanted[field].dump()));
  }
}

void RgbFolder::open() const {
  const auto make_folder = [](const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) throw Error(fmt::format("{} cannot be made: {}", path.string(), error.message()));
  };
  make_folder(root_);
  if (!fs::exists(root_ / kManifest)) {
    for (const Half half : {Half::train, Half::test}) {
      if (fs::exists(root_ / name_of(half))) {
        throw InputError(
            fmt::format("{}: {} is missing, which names the source of the images; remove the "
                        "folder, or name another one with --data rgb300=DIR",
                        (root_ / name_of(half)).string(), kManifest));
      }
    }
    // The link fails if another process created the manifest first.
    write_beside(root_ / kManifest, manifest(), [&](const fs::path& file, std::error_code& error) {
      fs::create_hard_link(file, root_ / kManifest, error);
      if (error == std::errc::file_exists) error.clear();
    });
  }
  check_manifest();
  for (const Half half : {Half::train, Half::test}) {
    for (int label = 0; label < kMnistClasses; ++label)
      make_folder(root_ / name_of(half) / std::to_string(label));
  }
}

const LabelledImages& RgbFolder::half(PictureId id) const {
  return id.half == Half::train ? source_.train : source_.test;
}

std::uint8_t RgbFolder::label(PictureId id) const { return half(id).labels.values[id.index]; }

fs::path RgbFolder::path(PictureId id) const {
  return root_ / name_of(id.half) / std::to_string(label(id)) / fmt::format("{:05}.png", id.index);
}

bool RgbFolder::is_missing(PictureId id) const {
  std::error_code error;
  return !fs::exists(path(id), error);
}

void RgbFolder::make(PictureId id) const {
  const Idx& images = half(id).images;
  const std::uint32_t rows = images.shape[1], columns = images.shape[2];
  const std::size_t area = std::size_t{rows} * columns;
  const auto grey = std::span(images.values).subspan(id.index * area, area);
  const fs::path target = path(id);
  write_beside(
      target, encode_png(colour_picture(grey, rows, columns, tint_of(id)), kRgbSize),
      [&](const fs::path& file, std::error_code& error) { fs::rename(file, target, error); });
}

void RgbFolder::require_space(std::uint64_t files) const {
  std::error_code error;
  const fs::space_info space = fs::space(root_, error);
  if (error) throw Error(fmt::format("{}: {}", root_.string(), error.message()));
  if (space.available >= files * kSpacePerFile) return;
  throw Error(
      fmt::format("{} images need {} MiB in {}, {} are free; name a folder on a larger disk with "
                  "--data rgb300=DIR",
                  files, files * kSpacePerFile >> 20, root_.string(), space.available >> 20));
}

}  // namespace scalemark::imaging
