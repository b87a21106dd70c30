// SPDX-License-Identifier: Apache-2.0
// Reads IDX files: the header, then exactly as many bytes as it declares.
#include "suites/imaging/data/idx.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <zlib.h>

#include "common/base/error.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::uint8_t kUnsignedByte = 0x08;
constexpr std::uint8_t kMaxDimensions = 4;
constexpr std::uint64_t kMaxHeaderBytes = 1024;
/// Deflate compresses at best 258 bytes to about two bits, a ratio of 1032.
constexpr std::uint64_t kMaxDeflateRatio = 1032;

/// A byte stream. read() fills `into` as far as data are left and returns the number of bytes.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::size_t read(std::span<std::uint8_t> into) = 0;
};

class PlainSource : public Source {
 public:
  explicit PlainSource(std::span<const std::uint8_t> file) : left_(file) {}
  std::size_t read(std::span<std::uint8_t> into) override {
    const std::size_t bytes = std::min(into.size(), left_.size());
    std::copy_n(left_.begin(), bytes, into.begin());
    left_ = left_.subspan(bytes);
    return bytes;
  }

 private:
  std::span<const std::uint8_t> left_;
};

/// One gzip member. Inflates only the bytes requested, so a small file cannot fill the memory.
class GzipSource : public Source {
 public:
  GzipSource(std::span<const std::uint8_t> file, const std::string& origin) : origin_(origin) {
    stream_.next_in = const_cast<Bytef*>(file.data());  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(file.size());
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw OutOfMemory("zlib could not start");
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(std::span<std::uint8_t> into) override {
    stream_.next_out = into.data();
    stream_.avail_out = static_cast<uInt>(into.size());
    while (stream_.avail_out > 0 && !ended_) {
      const int rc = inflate(&stream_, Z_NO_FLUSH);
      ended_ = rc == Z_STREAM_END;
      if (rc == Z_BUF_ERROR) throw InputError(origin_ + ": truncated gzip data");
      if (rc != Z_OK && !ended_) {
        throw InputError(fmt::format("{}: damaged gzip data ({})", origin_,
                                     stream_.msg ? stream_.msg : zError(rc)));
      }
    }
    if (ended_ && stream_.avail_in > 0)
      throw InputError(origin_ + ": data after the end of the gzip stream");
    return into.size() - stream_.avail_out;
  }

 private:
  const std::string& origin_;
  z_stream stream_{};
  bool ended_ = false;
};

void read_exactly(Source& source, std::span<std::uint8_t> into, const std::string& origin,
                  const char* what) {
  const std::size_t got = source.read(into);
  if (got != into.size()) {
    throw InputError(
        fmt::format("{}: {} is truncated: {} of {} bytes", origin, what, got, into.size()));
  }
}

}  // namespace

Idx parse_idx(std::span<const std::uint8_t> file, const std::string& origin) {
  const bool packed = file.size() >= 2 && file[0] == 0x1f && file[1] == 0x8b;
  std::unique_ptr<Source> source;
  if (packed) {
    source = std::make_unique<GzipSource>(file, origin);
  } else {
    source = std::make_unique<PlainSource>(file);
  }
  std::array<std::uint8_t, 4> magic{};
  read_exactly(*source, magic, origin, "the header");
  if (magic[0] != 0 || magic[1] != 0 || magic[2] != kUnsignedByte || magic[3] < 1 ||
      magic[3] > kMaxDimensions) {
    throw InputError(
        fmt::format("{}: not an IDX file of unsigned bytes with 1 to {} dimensions (magic "
                    "{:02x}{:02x}{:02x}{:02x})",
                    origin, kMaxDimensions, magic[0], magic[1], magic[2], magic[3]));
  }
  Idx idx;
  std::uint64_t bytes = 1;
  for (int d = 0; d < magic[3]; ++d) {
    std::array<std::uint8_t, 4> big_endian{};
    read_exactly(*source, big_endian, origin, "the header");
    std::uint32_t length = 0;
    for (const std::uint8_t byte : big_endian) length = length << 8 | byte;
    if (length == 0 || length > kMaxIdxBytes / bytes) {
      throw InputError(
          fmt::format("{}: dimension {} has length {}: an IDX file holds 1 to {} bytes", origin, d,
                      length, kMaxIdxBytes));
    }
    bytes *= length;
    idx.shape.push_back(length);
  }
  // Do not allocate more than a file of this length can contain, whatever its header declares.
  if (bytes > file.size() * (packed ? kMaxDeflateRatio : 1)) {
    throw InputError(
        fmt::format("{}: the header promises {} bytes, more than a file of {} can hold", origin,
                    bytes, file.size()));
  }
  idx.values.resize(bytes);
  read_exactly(*source, idx.values, origin, "the data");
  std::array<std::uint8_t, 1> more{};
  if (source->read(more) != 0) {
    throw InputError(
        fmt::format("{}: more data than the {} bytes that the header promises", origin, bytes));
  }
  return idx;
}

Idx read_idx(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw InputError(fmt::format("{}: {}", path.string(), error.message()));
  if (size > kMaxIdxBytes + kMaxHeaderBytes) {
    throw InputError(
        fmt::format("{}: {} bytes; an IDX file may have {}", path.string(), size, kMaxIdxBytes));
  }
  std::vector<std::uint8_t> file(size);
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(file.data()), static_cast<std::streamsize>(size));
  if (!stream) throw InputError(path.string() + ": cannot be read");
  return parse_idx(file, path.string());
}

}  // namespace scalemark::imaging
