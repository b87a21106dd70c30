// SPDX-License-Identifier: Apache-2.0
// Unpacks the chunks of a dataset with our own code, because HDF5 1.10 trusts the size that a chunk
// claims. It reads beyond a chunk that is too short, and allocates memory for one that inflates to
// more.
#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>
#include <zlib.h>

#include "common/base/text.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/h5/h5_digest.hpp"

namespace scalemark::store::h5 {
namespace {

using Bytes = std::vector<unsigned char>;

[[noreturn]] void refuse_chunk(std::string_view what, std::string_view why) {
  throw InputError(fmt::format("{} {}", what, why));
}

/// Fletcher-32 checksum over big-endian 16-bit words, as HDF5's filter computes it.
std::uint32_t fletcher32(std::span<const unsigned char> bytes) {
  constexpr std::size_t kWordsBeforeOverflow = 360;
  std::uint32_t low = 0, high = 0;
  const auto fold = [](std::uint32_t sum) { return (sum & 0xFFFFU) + (sum >> 16U); };
  while (bytes.size() > 1) {
    const std::size_t words = std::min(bytes.size() / 2, kWordsBeforeOverflow);
    for (std::size_t i = 0; i < words; ++i) {
      low += static_cast<std::uint32_t>(bytes[2 * i] << 8U | bytes[2 * i + 1]);
      high += low;
    }
    low = fold(low);
    high = fold(high);
    bytes = bytes.subspan(2 * words);
  }
  if (!bytes.empty()) {
    low = fold(low + static_cast<std::uint32_t>(bytes[0] << 8U));
    high = fold(high + low);
  }
  return fold(high) << 16U | fold(low);
}

void check_sum(Bytes& bytes, std::string_view what) {
  if (bytes.size() < 4) refuse_chunk(what, "has a chunk without checksum");
  const std::size_t size = bytes.size() - 4;
  std::uint32_t stored = 0;
  for (std::size_t i = 4; i-- > 0;) stored = stored << 8U | bytes[size + i];
  bytes.resize(size);
  if (fletcher32(bytes) != stored) refuse_chunk(what, "has a chunk with a wrong checksum");
}

Bytes inflated(const Bytes& packed, std::size_t size, std::string_view what) {
  Bytes bytes(size);
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw OutOfMemory("no memory to unpack a chunk");
  stream.next_in = const_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = bytes.data();
  stream.avail_out = static_cast<uInt>(size);
  const int code = inflate(&stream, Z_FINISH);
  const bool whole = code == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  if (!whole) refuse_chunk(what, "has a chunk that does not unpack to its size");
  return bytes;
}

/// Undoes the shuffle filter, which stores the first bytes of all elements, then the second bytes,
/// and so on.
Bytes unshuffled(const Bytes& bytes, std::size_t width) {
  Bytes result(bytes.size());
  const std::size_t count = bytes.size() / width;
  for (std::size_t byte = 0; byte < width; ++byte) {
    const unsigned char* column = bytes.data() + byte * count;
    for (std::size_t i = 0; i < count; ++i) result[i * width + byte] = column[i];
  }
  return result;
}

/// Layout of a dataset of one or two dimensions. With one dimension, the first extent is 1.
struct Grid {
  int rank = 0;
  std::array<hsize_t, 2> shape{1, 1}, chunk{1, 1};
  std::vector<H5Z_filter_t> filters;
  std::size_t width = 0;
  hid_t type = H5I_INVALID_HID, memory_type = H5I_INVALID_HID;
  bool converts = false;
  std::size_t memory_width = 0;

  std::size_t elements() const { return static_cast<std::size_t>(chunk[0] * chunk[1]); }
};

Grid grid_of(hid_t dataset, const Id& properties, std::string_view what) {
  Grid grid;
  const Id space(H5Dget_space(dataset), H5Sclose, what);
  grid.rank = H5Sget_simple_extent_ndims(space.get());
  if (grid.rank < 1 || grid.rank > 2)
    refuse_chunk(what, "has chunks of other dimensions than itself");
  const std::size_t first = grid.rank == 1 ? 1 : 0;
  H5Sget_simple_extent_dims(space.get(), grid.shape.data() + first, nullptr);
  if (H5Pget_chunk(properties.get(), grid.rank, grid.chunk.data() + first) != grid.rank) {
    refuse_chunk(what, "has chunks of other dimensions than itself");
  }
  grid.filters = filters_of(properties.get());
  return grid;
}

/// The bytes of a chunk as stored in the file. `left_out` receives the filters that were not
/// applied to it.
Bytes stored_chunk(hid_t dataset, const Grid& grid, const hsize_t* origin, std::uint32_t& left_out,
                   std::string_view what) {
  const std::size_t size = grid.elements() * grid.width;
  hsize_t stored = 0;
  check(H5Dget_chunk_storage_size(dataset, origin, &stored), what);
  // Data that cannot be compressed get slightly longer.
  if (stored == 0) refuse_chunk(what, "has a chunk that was never written");
  if (stored > size + size / 100 + 1024)
    refuse_chunk(what, "has a chunk that is larger than it may be");
  Bytes bytes(static_cast<std::size_t>(stored));
  check(H5Dread_chunk(dataset, H5P_DEFAULT, origin, &left_out, bytes.data()), what);
  return bytes;
}

Bytes unpacked_chunk(hid_t dataset, const Grid& grid, const hsize_t* origin,
                     std::string_view what) {
  const std::size_t size = grid.elements() * grid.width;
  std::uint32_t left_out = 0;
  Bytes bytes = stored_chunk(dataset, grid, origin, left_out, what);
  for (std::size_t i = grid.filters.size(); i-- > 0;) {
    if ((left_out >> i & 1U) != 0) {
      // The mask has no checksum. The writer leaves out deflate only, where it has no memory for
      // it; such a chunk has its full size.
      if (grid.filters[i] != H5Z_FILTER_DEFLATE)
        refuse_chunk(what, "has a chunk without a filter that is never left out");
      continue;
    }
    if (grid.filters[i] == H5Z_FILTER_FLETCHER32) check_sum(bytes, what);
    if (grid.filters[i] == H5Z_FILTER_DEFLATE) bytes = inflated(bytes, size, what);
    if (grid.filters[i] == H5Z_FILTER_SHUFFLE) bytes = unshuffled(bytes, grid.width);
  }
  if (left_out >> grid.filters.size() != 0)
    refuse_chunk(what, "has a chunk without filters that it does not have");
  if (bytes.size() != size) refuse_chunk(what, "has a chunk that does not unpack to its size");
  if (grid.converts) {
    bytes.resize(grid.elements() * std::max(grid.width, grid.memory_width));
    check(H5Tconvert(grid.type, grid.memory_type, grid.elements(), bytes.data(), nullptr,
                     H5P_DEFAULT),
          what);
  }
  return bytes;
}

/// Calls `visit` with the origin of each chunk in HDF5's order of dimensions, its row and column.
void for_each_chunk(
    const Grid& grid,
    const std::function<void(const hsize_t* origin, hsize_t row, hsize_t column)>& visit) {
  for (hsize_t row = 0; row < grid.shape[0]; row += grid.chunk[0]) {
    for (hsize_t column = 0; column < grid.shape[1]; column += grid.chunk[1]) {
      const std::array<hsize_t, 2> origin = {row, column};
      visit(origin.data() + 2 - grid.rank, row, column);
    }
  }
}

void read_chunks(hid_t dataset, const Grid& grid, unsigned char* values, std::string_view what) {
  const auto& [rows, columns] = grid.shape;
  for_each_chunk(grid, [&, rows = rows, columns = columns](const hsize_t* origin, hsize_t row,
                                                           hsize_t column) {
    const Bytes bytes = unpacked_chunk(dataset, grid, origin, what);
    const hsize_t high = std::min(grid.chunk[0], rows - row);
    const std::size_t wide = std::min(grid.chunk[1], columns - column) * grid.memory_width;
    for (hsize_t i = 0; i < high; ++i) {
      const auto* from = bytes.data() + i * grid.chunk[1] * grid.memory_width;
      std::copy_n(from, wide, values + ((row + i) * columns + column) * grid.memory_width);
    }
  });
}

void read_unchecked(hid_t dataset, hid_t memory_type, void* values, std::string_view what) {
  const Id properties(H5Dget_create_plist(dataset), H5Pclose, what);
  if (H5Pget_layout(properties.get()) != H5D_CHUNKED) {
    if (H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
      throw InputError(fmt::format("{} cannot be read: {}", what, explain()));
    }
    return;
  }
  const Id type(H5Dget_type(dataset), H5Tclose, what);
  Grid grid = grid_of(dataset, properties, what);
  grid.type = type.get();
  grid.memory_type = memory_type;
  grid.width = H5Tget_size(type.get());
  grid.memory_width = H5Tget_size(memory_type);
  grid.converts = H5Tequal(type.get(), memory_type) <= 0;
  try {
    read_chunks(dataset, grid, static_cast<unsigned char*>(values), what);
  } catch (const InputError& error) {
    throw;
  } catch (const Error& error) {
    throw InputError(text::printable(error.what(), 300));
  }
}

}  // namespace

void copy_chunks(hid_t from, hid_t to, std::string_view what) {
  const Id properties(H5Dget_create_plist(from), H5Pclose, what);
  const Id type(H5Dget_type(from), H5Tclose, what);
  Grid grid = grid_of(from, properties, what);
  grid.width = H5Tget_size(type.get());
  for_each_chunk(grid, [&](const hsize_t* origin, hsize_t, hsize_t) {
    std::uint32_t left_out = 0;
    const Bytes bytes = stored_chunk(from, grid, origin, left_out, what);
    check(H5Dwrite_chunk(to, H5P_DEFAULT, left_out, origin, bytes.size(), bytes.data()), what);
  });
}

void read_values(hid_t dataset, hid_t memory_type, void* values, std::string_view what) {
  read_unchecked(dataset, memory_type, values, what);
  check_values(dataset, memory_type, values, what);
}

}  // namespace scalemark::store::h5
