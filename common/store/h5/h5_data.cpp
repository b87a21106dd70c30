// SPDX-License-Identifier: Apache-2.0
// Writes and reads datasets of numbers and texts, and checks a dataset before it is read.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/h5/h5_digest.hpp"

namespace scalemark::store::h5 {
namespace {

/// Only columns larger than this are compressed: for smaller ones the chunk index needs more than
/// the compression saves.
constexpr std::size_t kCompressFrom = 4096;
/// deflate compresses by at most a factor of 1032. A dataset that claims more is refused.
constexpr std::uint64_t kMaxExpansion = 1032;
/// The ratio is not checked for smaller datasets: they can do no harm.
constexpr std::uint64_t kUnsuspicious = 1 << 20;
constexpr hsize_t kChunkElements = (1 << 20) / 8;
/// The writer needs 4096 chunks for a dataset of 2 GiB.
constexpr std::uint64_t kMaxChunks = 1 << 20;

/// Chunk shape: at most 64 ranks x all iterations, limited to about 1 MiB.
std::array<hsize_t, 2> chunk_of(hsize_t rows, hsize_t columns) {
  const hsize_t wide = std::clamp<hsize_t>(columns, 1, kChunkElements);
  const hsize_t high =
      std::clamp<hsize_t>(rows, 1, std::clamp<hsize_t>(kChunkElements / wide, 1, 64));
  return {high, wide};
}

Id dataset_properties(const std::string& what) {
  Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  check(H5Pset_obj_track_times(properties.get(), false), what);
  return properties;
}

/// The filters of a result file, in the order in which they are applied.
constexpr std::array<H5Z_filter_t, 3> kFilters = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE,
                                                  H5Z_FILTER_FLETCHER32};

void add_filter(const Id& properties, H5Z_filter_t filter, const std::string& what) {
  if (filter == H5Z_FILTER_SHUFFLE) check(H5Pset_shuffle(properties.get()), what);
  if (filter == H5Z_FILTER_DEFLATE) check(H5Pset_deflate(properties.get(), 4), what);
  if (filter == H5Z_FILTER_FLETCHER32) check(H5Pset_fletcher32(properties.get()), what);
}

void compress(const Id& properties, std::span<const hsize_t> chunk, const std::string& what) {
  check(H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()), what);
  for (const H5Z_filter_t filter : kFilters) add_filter(properties, filter, what);
}

Id write(hid_t parent, const std::string& name, hid_t type, const void* values,
         std::span<const hsize_t> shape, const Id& properties) {
  const std::string what = "dataset " + name;
  const Id space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose,
                 what);
  Id dataset(H5Dcreate2(parent, name.c_str(), type, space.get(), H5P_DEFAULT, properties.get(),
                        H5P_DEFAULT),
             H5Dclose, what);
  if (std::ranges::find(shape, hsize_t{0}) == shape.end()) {
    check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), what);
  }
  seal_values(dataset.get(), type, values);
  return dataset;
}

Id write_2d(hid_t parent, const std::string& name, hid_t type, const void* values, hsize_t rows,
            hsize_t columns) {
  const std::array<hsize_t, 2> shape = {rows, columns};
  const Id properties = dataset_properties(name);
  if (rows > 0 && columns > 0) compress(properties, chunk_of(rows, columns), name);
  return write(parent, name, type, values, shape, properties);
}

Id write_1d(hid_t parent, const std::string& name, hid_t type, const void* values,
            std::size_t count) {
  const std::array<hsize_t, 1> shape = {count};
  const std::size_t width = H5Tget_size(type);
  const Id properties = dataset_properties(name);
  if (count * width >= kCompressFrom) {
    const std::array<hsize_t, 1> chunk = {
        std::clamp<hsize_t>((std::size_t{1} << 20) / width, 1, count)};
    compress(properties, chunk, name);
  }
  return write(parent, name, type, values, shape, properties);
}

[[noreturn]] void refuse(const std::string& name, std::string_view why) {
  throw InputError(fmt::format("dataset '{}' {}", text::printable(name, 80), why));
}

/// Allows native numbers and fixed-length texts. Other types take other paths through HDF5's
/// conversions.
void check_type(hid_t type, const std::string& name) {
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t width = H5Tget_size(type);
  if (H5Tcommitted(type) != 0) refuse(name, "has a committed type, which a result file never has");
  if (kind == H5T_STRING) {
    if (H5Tis_variable_str(type) != 0) refuse(name, "has texts of variable length");
    if (width > kMaxText) refuse(name, "has texts that are too long");
  } else if (!is_plain_number(type)) {
    refuse(name, "has a type that a result file never uses");
  }
}

/// Each filter may occur once, in the order in which the writer applies them: compressed twice, a
/// chunk can unpack to a million times its size.
void check_filters(hid_t properties, const std::string& name) {
  auto next = kFilters.begin();
  for (const H5Z_filter_t filter : filters_of(properties)) {
    next = std::find(next, kFilters.end(), filter);
    if (next == kFilters.end()) refuse(name, "has a filter that a result file never uses there");
    ++next;
  }
}

void check_layout(hid_t properties, std::uint64_t width, const std::string& name) {
  if (H5Pget_external_count(properties) != 0) refuse(name, "stores its data in another file");
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (layout == H5D_VIRTUAL) refuse(name, "is virtual");
  if (layout != H5D_CHUNKED) return;
  std::array<hsize_t, 4> chunk{};
  const int rank = H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  if (rank < 1 || rank > 2) refuse(name, "has more dimensions than a result file uses");
  std::uint64_t bytes = std::max<std::uint64_t>(width, 8);
  for (const hsize_t extent : std::span(chunk).first(static_cast<std::size_t>(rank))) {
    if (extent == 0 || extent > kMaxChunkBytes / bytes)
      refuse(name, "has chunks that are too large");
    bytes *= extent;
  }
}

/// Number of elements. Each counts as at least 8 bytes, its size in memory.
std::uint64_t check_extent(hid_t space, std::uint64_t width, const std::string& name) {
  std::array<hsize_t, 2> shape{};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > 2) refuse(name, "has more dimensions than a result file uses");
  if (H5Sget_simple_extent_type(space) == H5S_NULL) refuse(name, "has no value");
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  const std::uint64_t limit = kMaxDatasetBytes / std::max<std::uint64_t>(width, 8);
  std::uint64_t elements = 1;
  // A dimension of 0 must not hide another one from the limit.
  bool empty = false;
  for (const hsize_t extent : std::span(shape).first(static_cast<std::size_t>(rank))) {
    empty = empty || extent == 0;
    if (extent > limit / elements) refuse(name, "is larger than 2 GiB");
    elements *= std::max<hsize_t>(extent, 1);
  }
  return empty ? 0 : elements;
}

void check_chunk_count(hid_t space, hid_t properties, const std::string& name) {
  std::array<hsize_t, 2> shape{1, 1}, chunk{1, 1};
  if (H5Pget_chunk(properties, 2, chunk.data()) != H5Sget_simple_extent_ndims(space)) {
    refuse(name, "has chunks of other dimensions than itself");
  }
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  const auto along = [&](std::size_t i) { return (shape[i] + chunk[i] - 1) / chunk[i]; };
  if (along(0) > 0 && along(1) > kMaxChunks / along(0)) refuse(name, "has too many chunks");
}

/// Refuses a dataset that claims more data than the file can hold, before memory is allocated.
void check_storage(hid_t dataset, bool chunked, std::uint64_t bytes, const std::string& name) {
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  // For contiguous data, HDF5 copies as many bytes as the shape says.
  if (!chunked && stored != bytes) refuse(name, "holds more or less data than its shape");
  const Id file(H5Iget_file_id(dataset), H5Fclose, name);
  hsize_t file_size = 0;
  check(H5Fget_filesize(file.get(), &file_size), name);
  if (stored > file_size) refuse(name, "claims more data than the file holds");
  if (bytes > kUnsuspicious && bytes / kMaxExpansion > stored) {
    refuse(name, "claims more data than the file holds");
  }
}

}  // namespace

std::vector<H5Z_filter_t> filters_of(hid_t properties) {
  std::vector<H5Z_filter_t> filters;
  for (int i = 0; i < H5Pget_nfilters(properties); ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    filters.push_back(H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr,
                                     0, nullptr, &config));
  }
  return filters;
}

Id storage_properties(hid_t dataset, const std::string& what) {
  const Id stored(H5Dget_create_plist(dataset), H5Pclose, what);
  Id properties = dataset_properties(what);
  if (H5Pget_layout(stored.get()) != H5D_CHUNKED) return properties;
  std::array<hsize_t, 2> chunk{1, 1};
  const int rank = H5Pget_chunk(stored.get(), 2, chunk.data());
  check(H5Pset_chunk(properties.get(), rank, chunk.data()), what);
  for (const H5Z_filter_t filter : filters_of(stored.get())) add_filter(properties, filter, what);
  return properties;
}

Id write_matrix(hid_t parent, const std::string& name, std::span<const std::uint64_t> values,
                hsize_t rows, hsize_t columns) {
  return write_2d(parent, name, H5T_NATIVE_UINT64, values.data(), rows, columns);
}

Id write_matrix(hid_t parent, const std::string& name, std::span<const double> values, hsize_t rows,
                hsize_t columns) {
  return write_2d(parent, name, H5T_NATIVE_DOUBLE, values.data(), rows, columns);
}

void write_dimension_labels(hid_t dataset, std::span<const char* const> labels) {
  const std::string what = "dimension labels";
  const hsize_t count = labels.size();
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose, what);
  check(H5Tset_size(type.get(), H5T_VARIABLE), what);
  const Id space(H5Screate_simple(1, &count, nullptr), H5Sclose, what);
  const Id attribute(
      H5Acreate2(dataset, "DIMENSION_LABELS", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, what);
  check(H5Awrite(attribute.get(), type.get(), labels.data()), what);
}

Id write_vector(hid_t parent, const std::string& name, std::span<const std::uint8_t> values) {
  return write_1d(parent, name, H5T_NATIVE_UINT8, values.data(), values.size());
}

Id write_vector(hid_t parent, const std::string& name, std::span<const std::uint16_t> values) {
  return write_1d(parent, name, H5T_NATIVE_UINT16, values.data(), values.size());
}

Id write_vector(hid_t parent, const std::string& name, std::span<const std::int64_t> values) {
  return write_1d(parent, name, H5T_NATIVE_INT64, values.data(), values.size());
}

Id write_vector(hid_t parent, const std::string& name, std::span<const std::uint64_t> values) {
  return write_1d(parent, name, H5T_NATIVE_UINT64, values.data(), values.size());
}

Id write_vector(hid_t parent, const std::string& name, std::span<const double> values) {
  return write_1d(parent, name, H5T_NATIVE_DOUBLE, values.data(), values.size());
}

void write_bytes(hid_t parent, const std::string& name, std::string_view bytes) {
  const std::array<hsize_t, 1> shape = {bytes.size()};
  const std::array<hsize_t, 1> chunk = {std::clamp<hsize_t>(bytes.size(), 1, 1 << 20)};
  const Id properties = dataset_properties(name);
  if (!bytes.empty()) {
    check(H5Pset_chunk(properties.get(), 1, chunk.data()), name);
    check(H5Pset_fletcher32(properties.get()), name);
  }
  write(parent, name, H5T_NATIVE_UINT8, bytes.data(), shape, properties);
}

Id write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& values) {
  std::size_t width = 1;
  for (const std::string& value : values) width = std::max(width, value.size());
  std::string packed(width * values.size(), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i].copy(packed.data() + i * width, width);
  return write_1d(parent, name, text_type(width).get(), packed.data(), values.size());
}

Id open_dataset(hid_t parent, const std::string& name) {
  if (!has(parent, name)) refuse(name, "is missing");
  const hid_t id = H5Dopen2(parent, name.c_str(), H5P_DEFAULT);
  if (id < 0) refuse(name, "is not a dataset: " + explain());
  Id dataset(id, H5Dclose, name);
  const Id type(H5Dget_type(dataset.get()), H5Tclose, name);
  check_type(type.get(), name);
  const std::uint64_t width = H5Tget_size(type.get());
  const Id properties(H5Dget_create_plist(dataset.get()), H5Pclose, name);
  check_layout(properties.get(), width, name);
  check_filters(properties.get(), name);
  const Id space(H5Dget_space(dataset.get()), H5Sclose, name);
  const std::uint64_t bytes = check_extent(space.get(), width, name) * width;
  const bool chunked = H5Pget_layout(properties.get()) == H5D_CHUNKED;
  if (chunked) check_chunk_count(space.get(), properties.get(), name);
  check_storage(dataset.get(), chunked, bytes, name);
  return dataset;
}

std::uint64_t unpacked_bytes(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose, "dataset");
  const Id type(H5Dget_type(dataset), H5Tclose, "dataset");
  // A text is an object with a block of its own.
  const std::uint64_t more = H5Tget_class(type.get()) == H5T_STRING ? sizeof(std::string) + 16 : 0;
  return static_cast<std::uint64_t>(H5Sget_simple_extent_npoints(space.get())) *
         (more + std::max<std::uint64_t>(H5Tget_size(type.get()), 8));
}

Shape matrix_shape(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose, "samples");
  std::array<hsize_t, 2> shape{};
  if (H5Sget_simple_extent_ndims(space.get()) != 2) throw InputError("samples are not a matrix");
  H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr);
  const Id type(H5Dget_type(dataset), H5Tclose, "samples");
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind == H5T_STRING) throw InputError("samples are texts");
  return {shape[0], shape[1], kind == H5T_FLOAT};
}

Vector vector_shape(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose, "column");
  hsize_t length = 0;
  if (H5Sget_simple_extent_ndims(space.get()) != 1) throw InputError("a column is not a vector");
  H5Sget_simple_extent_dims(space.get(), &length, nullptr);
  const Id type(H5Dget_type(dataset), H5Tclose, "column");
  const H5T_class_t kind = H5Tget_class(type.get());
  return {static_cast<std::size_t>(length), kind == H5T_FLOAT, kind == H5T_STRING};
}

std::vector<std::uint64_t> read_unsigned(hid_t dataset, std::size_t count) {
  std::vector<std::uint64_t> values(count);
  if (count == 0) return values;
  const Id type(H5Dget_type(dataset), H5Tclose, "dataset");
  // HDF5 would make 0 of negative numbers.
  const bool is_signed = H5Tget_sign(type.get()) == H5T_SGN_2;
  read_values(dataset, is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, values.data(),
              "dataset 'samples'");
  if (is_signed && std::ranges::any_of(values, [](std::uint64_t one) { return one >> 63 != 0; }))
    throw InputError("dataset 'samples' has negative numbers");
  return values;
}

std::vector<double> read_real(hid_t dataset, std::size_t count) {
  std::vector<double> values(count);
  if (count > 0) read_values(dataset, H5T_NATIVE_DOUBLE, values.data(), "dataset 'samples'");
  return values;
}

std::vector<std::int64_t> read_integers(hid_t parent, const std::string& name) {
  const Id dataset = open_dataset(parent, name);
  const Id type(H5Dget_type(dataset.get()), H5Tclose, name);
  if (H5Tget_class(type.get()) != H5T_INTEGER) refuse(name, "holds no integers");
  const Id space(H5Dget_space(dataset.get()), H5Sclose, name);
  std::vector<std::int64_t> values(
      static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  if (!values.empty()) {
    read_values(dataset.get(), H5T_NATIVE_INT64, values.data(),
                fmt::format("dataset '{}'", text::printable(name, 80)));
  }
  return values;
}

std::string read_bytes(hid_t parent, const std::string& name) {
  const Id dataset = open_dataset(parent, name);
  const Id type(H5Dget_type(dataset.get()), H5Tclose, name);
  if (H5Tequal(type.get(), H5T_STD_U8LE) <= 0) refuse(name, "holds no bytes");
  const Id space(H5Dget_space(dataset.get()), H5Sclose, name);
  std::string bytes(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())), '\0');
  if (!bytes.empty()) {
    read_values(dataset.get(), H5T_NATIVE_UINT8, bytes.data(),
                fmt::format("dataset '{}'", text::printable(name, 80)));
  }
  return bytes;
}

}  // namespace scalemark::store::h5
