// SPDX-License-Identifier: Apache-2.0
// Datasets of numbers.
#include <array>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/store/h5.hpp"

namespace scalemark::store::h5 {
namespace {

void check(herr_t code, const std::string& action) {
  if (code < 0) throw Error(fmt::format("{}: HDF5 failed", action));
}

/// Chunks of at most 64 ranks by all iterations, limited to about 1 MiB.
std::array<hsize_t, 2> chunk_of(hsize_t rows, hsize_t columns) {
  constexpr hsize_t kElements = (1 << 20) / 8;
  const hsize_t wide = std::min(std::max<hsize_t>(columns, 1), kElements);
  const hsize_t high = std::min({std::max<hsize_t>(rows, 1), hsize_t{64}, std::max<hsize_t>(kElements / wide, 1)});
  return {high, wide};
}

Id write_2d(hid_t parent, const std::string& name, hid_t type, const void* values, hsize_t rows, hsize_t columns) {
  const std::array<hsize_t, 2> shape = {rows, columns};
  const Id space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, "dataset " + name);
  const Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "dataset " + name);
  if (rows > 0 && columns > 0) {
    const std::array<hsize_t, 2> chunk = chunk_of(rows, columns);
    check(H5Pset_chunk(properties.get(), 2, chunk.data()), "dataset " + name);
    check(H5Pset_shuffle(properties.get()), "dataset " + name);
    check(H5Pset_deflate(properties.get(), 4), "dataset " + name);
    check(H5Pset_fletcher32(properties.get()), "dataset " + name);
  }
  Id dataset(H5Dcreate2(parent, name.c_str(), type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), H5Dclose, "dataset " + name);
  if (rows > 0 && columns > 0) check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "dataset " + name);
  return dataset;
}

void write_1d(hid_t parent, const std::string& name, hid_t type, const void* values, std::size_t count) {
  const hsize_t length = count;
  const Id space(H5Screate_simple(1, &length, nullptr), H5Sclose, "dataset " + name);
  const Id dataset(H5Dcreate2(parent, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, "dataset " + name);
  if (count > 0) check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "dataset " + name);
}

void refuse(const std::string& name, const char* why) {
  throw InputError(fmt::format("dataset '{}' {}", text::printable(name, 80), why));
}

void check_filters(hid_t properties, const std::string& name) {
  const int filters = H5Pget_nfilters(properties);
  if (filters > 4) refuse(name, "has more filters than a result file uses");
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, &config);
    if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_FLETCHER32) refuse(name, "has a filter that a result file never uses");
  }
}

void check_layout(hid_t properties, const std::string& name) {
  if (H5Pget_external_count(properties) != 0) refuse(name, "stores its data in another file");
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (layout == H5D_VIRTUAL) refuse(name, "is virtual");
  if (layout != H5D_CHUNKED) return;
  std::array<hsize_t, 4> chunk{};
  const int rank = H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  if (rank < 1 || rank > 2) refuse(name, "has more dimensions than a result file uses");
  std::uint64_t elements = 1;
  for (int i = 0; i < rank; ++i) {
    if (chunk[static_cast<std::size_t>(i)] > kMaxChunkBytes) refuse(name, "has chunks that are too large");
    elements *= chunk[static_cast<std::size_t>(i)];
    if (elements > kMaxChunkBytes / 8) refuse(name, "has chunks that are too large");
  }
}

}  // namespace

Id write_matrix(hid_t parent, const std::string& name, std::span<const std::uint64_t> values, hsize_t rows, hsize_t columns) {
  return write_2d(parent, name, H5T_NATIVE_UINT64, values.data(), rows, columns);
}

Id write_matrix(hid_t parent, const std::string& name, std::span<const double> values, hsize_t rows, hsize_t columns) {
  return write_2d(parent, name, H5T_NATIVE_DOUBLE, values.data(), rows, columns);
}

void write_vector(hid_t parent, const std::string& name, std::span<const std::uint8_t> values) {
  write_1d(parent, name, H5T_NATIVE_UINT8, values.data(), values.size());
}

void write_vector(hid_t parent, const std::string& name, std::span<const std::uint16_t> values) {
  write_1d(parent, name, H5T_NATIVE_UINT16, values.data(), values.size());
}

void write_vector(hid_t parent, const std::string& name, std::span<const std::int64_t> values) {
  write_1d(parent, name, H5T_NATIVE_INT64, values.data(), values.size());
}

Id open_dataset(hid_t parent, const std::string& name) {
  if (!has(parent, name)) refuse(name, "is missing");
  const hid_t id = H5Dopen2(parent, name.c_str(), H5P_DEFAULT);
  if (id < 0) refuse(name, "is no dataset");
  Id dataset(id, H5Dclose, name);
  const Id properties(H5Dget_create_plist(dataset.get()), H5Pclose, name);
  check_layout(properties.get(), name);
  check_filters(properties.get(), name);
  const Id type(H5Dget_type(dataset.get()), H5Tclose, name);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_STRING) refuse(name, "has a type that a result file never uses");
  if (kind == H5T_STRING && H5Tis_variable_str(type.get()) > 0) refuse(name, "has texts of variable length");
  const Id space(H5Dget_space(dataset.get()), H5Sclose, name);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0 || rank > 2) refuse(name, "has more dimensions than a result file uses");
  const hssize_t points = H5Sget_simple_extent_npoints(space.get());
  const std::uint64_t size = H5Tget_size(type.get());
  if (points < 0 || (points > 0 && size > kMaxDatasetBytes / static_cast<std::uint64_t>(points))) refuse(name, "is larger than 2 GiB");
  return dataset;
}

Shape matrix_shape(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose, "samples");
  std::array<hsize_t, 2> shape{};
  if (H5Sget_simple_extent_ndims(space.get()) != 2) throw InputError("samples are no matrix");
  H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr);
  const Id type(H5Dget_type(dataset), H5Tclose, "samples");
  return {shape[0], shape[1], H5Tget_class(type.get()) == H5T_FLOAT};
}

std::vector<std::uint64_t> read_unsigned(hid_t dataset, std::size_t count) {
  std::vector<std::uint64_t> values(count);
  if (count > 0 && H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) throw InputError("samples are damaged (checksum or compression)");
  return values;
}

std::vector<double> read_real(hid_t dataset, std::size_t count) {
  std::vector<double> values(count);
  if (count > 0 && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) throw InputError("samples are damaged (checksum or compression)");
  return values;
}

std::vector<std::int64_t> read_integers(hid_t parent, const std::string& name) {
  const Id dataset = open_dataset(parent, name);
  const Id space(H5Dget_space(dataset.get()), H5Sclose, name);
  std::vector<std::int64_t> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  if (!values.empty() && H5Dread(dataset.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) refuse(name, "is damaged");
  return values;
}

}  // namespace scalemark::store::h5
