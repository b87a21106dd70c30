// SPDX-License-Identifier: Apache-2.0
// Sizes, chunks and texts that claim what is not so.
#include <algorithm>
#include <array>
#include <fstream>
#include <random>

#include <fmt/format.h>
#include <zlib.h>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "tests/common/store/hostile_files.hpp"

namespace scalemark::test {
namespace {

namespace h5 = store::h5;
using Path = std::filesystem::path;
using Bytes = std::vector<unsigned char>;

constexpr hsize_t kChunk = 8192;  ///< samples of 8 bytes

HostileFile sized(const char* name, const char* why, const Shape& shape, const Shape& chunk) {
  return {name, why, [=](const Path& path) { replace_samples(path, shape, chunked(chunk)); }};
}

HostileFile edited(const char* name, const char* why, const char* object,
                   const std::function<void(hid_t)>& change) {
  return {name, why, [=](const Path& path) { edit(path, object, change); }};
}

Bytes deflated(const Bytes& plain) {
  Bytes packed(compressBound(plain.size()));
  uLongf size = packed.size();
  compress2(packed.data(), &size, plain.data(), plain.size(), 9);
  packed.resize(size);
  return packed;
}

Bytes noise(std::size_t size) {
  Bytes bytes(size);
  std::mt19937 generator(7);
  std::ranges::generate(bytes, [&] { return static_cast<unsigned char>(generator()); });
  return bytes;
}

/// Samples of one chunk that holds these bytes, whatever it should hold.
void write_chunk(const Path& path, const std::function<void(hid_t)>& properties,
                 const Bytes& bytes) {
  replace_samples(path, {1, kChunk}, properties);
  edit(path, (std::string(kLatency) + "/samples").c_str(), [&](hid_t dataset) {
    const Shape origin = {0, 0};
    h5::check(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, origin.data(), bytes.size(), bytes.data()),
              "edit");
  });
}

HostileFile lying(const char* name, const char* why, const std::function<Bytes()>& content) {
  return {name, why, [=](const Path& path) { write_chunk(path, chunked({1, kChunk}), content()); }};
}

template <typename Number>
void replace_numbers(hid_t group, const char* name, const std::vector<Number>& values) {
  H5Ldelete(group, name, H5P_DEFAULT);
  h5::write_vector(group, name, values);
}

void set_index(hid_t group, std::uint64_t index) {
  H5Adelete(group, "index");
  h5::write_attribute(group, "index", index);
}

/// Zeros, which take a thousandth of their size in the file.
void write_zeros(const Path& path, const char* name, hsize_t count) {
  edit(path, kLatency, [&](hid_t metric) {
    const h5::Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "edit");
    constexpr hsize_t kZeros = hsize_t{1} << 20;
    chunked({kZeros})(list.get());
    const h5::Id space(H5Screate_simple(1, &count, nullptr), H5Sclose, "edit");
    const h5::Id dataset(H5Dcreate2(metric, name, H5T_NATIVE_UINT64, space.get(), H5P_DEFAULT,
                                    list.get(), H5P_DEFAULT),
                         H5Dclose, "edit");
    const Bytes packed = deflated(Bytes(kZeros * 8));
    for (hsize_t origin = 0; origin < count; origin += kZeros) {
      h5::check(
          H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, &origin, packed.size(), packed.data()),
          "edit");
    }
  });
}

void overwrite(const Path& path, std::streamoff at, const Bytes& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(at);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

/// An attribute in place of the key of the case, without a value.
void replace_key(hid_t group, hid_t type, const Shape& shape) {
  H5Adelete(group, "key");
  const h5::Id space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                     H5Sclose, "edit");
  const h5::Id attribute(H5Acreate2(group, "key", type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, "edit");
}

void set_text(hid_t object, const char* name, const std::string& value) {
  if (h5::has_attribute(object, name)) H5Adelete(object, name);
  h5::write_attribute(object, name, value);
}

void add_attributes(hid_t object) {
  const h5::Id space(H5Screate(H5S_SCALAR), H5Sclose, "edit");
  for (std::size_t i = 0; i <= h5::kMaxAttributes; ++i) {
    const h5::Id attribute(H5Acreate2(object, fmt::format("a{}", i).c_str(), H5T_STD_I8LE,
                                      space.get(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose, "edit");
  }
}

}  // namespace

std::vector<HostileFile> hostile_sizes() {
  constexpr hsize_t kBig = hsize_t{1} << 32;
  return {
      sized("a_tebi_of_samples", "2 GiB", {1, hsize_t{1} << 40}, {1, 1000}),
      sized("sizes_that_overflow", "2 GiB", {kBig + 1, kBig}, {1, 1000}),
      {"a_huge_size_behind_zero", "2 GiB",
       [](const Path& path) {
         replace_samples(path, {0, hsize_t{1} << 60});
       }},
      sized("samples_never_written", "more data than the file holds", {1, 200'000'000},
            {1, 1'000'000}),
      sized("chunks_of_128_mib", "chunks that are too large", {4, kBig}, {4, 1 << 22}),
      sized("chunks_of_one_sample", "too many chunks", {1, 100'000'000}, {1, 1}),
      {"samples_of_32_dimensions", "dimensions",
       [](const Path& path) { replace_samples(path, Shape(32, 2)); }},
      {"samples_never_allocated", "more or less data than its shape",
       [](const Path& path) {
         replace_samples(path, {2, 5});
       }},
      {"zip_bomb_of_2_gib", "more data than the file holds",
       [](const Path& path) { write_zeros(path, "bomb", hsize_t{1} << 28); }},
      {"zip_bombs_of_128_mib", "more data than the file holds",
       [](const Path& path) {
         for (const char* name : {"bomb_1", "bomb_2", "bomb_3"})
           write_zeros(path, name, hsize_t{1} << 24);
       }},
      edited("a_text_of_3_gib", "too long", "/run",
             [](hid_t run) {
               H5Ldelete(run, "config", H5P_DEFAULT);
               const h5::Id type = h5::text_type(std::size_t{3} << 30);
               const h5::Id space(H5Screate(H5S_SCALAR), H5Sclose, "edit");
               const h5::Id dataset(H5Dcreate2(run, "config", type.get(), space.get(), H5P_DEFAULT,
                                               H5P_DEFAULT, H5P_DEFAULT),
                                    H5Dclose, "edit");
             }),
      edited("too_many_attributes", "more than 65536 attributes", "/env/common", add_attributes),
      edited("attribute_of_many_values", "single value", "/cases/000000",
             [](hid_t group) { replace_key(group, H5T_NATIVE_INT, {1 << 13}); }),
      edited("attribute_of_variable_length", "not a text of a fixed length", "/cases/000000",
             [](hid_t group) {
               const h5::Id type(H5Tcopy(H5T_C_S1), H5Tclose, "edit");
               H5Tset_size(type.get(), H5T_VARIABLE);
               replace_key(group, type.get(), {1});
             }),
      edited("attribute_of_2_mib", "not a text of a fixed length", "/cases/000000",
             [](hid_t group) { set_text(group, "key", std::string(2 << 20, 'x')); }),
  };
}

std::vector<HostileFile> hostile_chunks() {
  return {
      // HDF5 itself reads this one with 64 KiB of what lies behind it in memory.
      lying("chunk_that_unpacks_to_less", "does not unpack to its size",
            [] { return deflated(Bytes(100, 'A')); }),
      lying("chunk_that_unpacks_to_nothing", "does not unpack to its size",
            [] { return deflated({}); }),
      // And these with all that they unpack to.
      lying("chunk_that_unpacks_to_60_mib", "does not unpack to its size",
            [] { return deflated(Bytes(60 << 20)); }),
      lying("chunk_that_unpacks_to_100_mib", "larger than it may be",
            [] { return deflated(Bytes(100 << 20)); }),
      lying("chunk_that_unpacks_to_one_more", "does not unpack to its size",
            [] { return deflated(Bytes(kChunk * 8 + 1)); }),
      lying("chunk_that_breaks_off", "does not unpack to its size",
            [] {
              Bytes packed = deflated(noise(kChunk * 8));
              packed.resize(packed.size() / 2);
              return packed;
            }),
      lying("chunk_of_noise", "does not unpack to its size", [] { return noise(4000); }),
      {"chunk_of_a_wrong_checksum", "wrong checksum",
       [](const Path& path) {
         const auto checked = [](hid_t list) {
           chunked({1, kChunk})(list);
           H5Pset_fletcher32(list);
         };
         Bytes packed = deflated(Bytes(kChunk * 8));
         packed.resize(packed.size() + 4);
         write_chunk(path, checked, packed);
       }},
      {"cut_in_half", "not a readable HDF5 file",
       [](const Path& path) {
         std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
       }},
      {"superblock_of_a_larger_file", "not a readable HDF5 file",
       [](const Path& path) { overwrite(path, 28, Bytes(8, 0x7F)); }},
      {"signature_alone", "not a readable HDF5 file",
       [](const Path& path) { std::filesystem::resize_file(path, 8); }},
      {"text_file", "not a readable HDF5 file",
       [](const Path& path) { std::ofstream(path) << "bytes,latency\n8,1.5\n"; }},
  };
}

std::vector<HostileFile> hostile_texts() {
  return {
      edited("metric_name_that_colours_the_terminal", "name", "/cases/000000/metrics",
             [](hid_t metrics) {
               H5Lmove(metrics, "accuracy", metrics, "\x1B[31m", H5P_DEFAULT, H5P_DEFAULT);
             }),
      edited("parameter_name_that_is_a_path", "name", "/cases/000000/params",
             [](hid_t params) { set_text(params, "../../etc", "x"); }),
      edited("key_with_control_characters", "control characters", "/cases/000000",
             [](hid_t group) { set_text(group, "key", "test/a\x1B]0;owned\a\x1B[2J"); }),
      edited("key_of_two_lines", "control characters", "/cases/000000",
             [](hid_t group) { set_text(group, "key", "test/a\nRESULT PASS"); }),
      edited("newer_format", "newer", "/",
             [](hid_t root) { set_text(root, "format_version", "2.0"); }),
      edited("foreign_format", "no Scalemark result", "/",
             [](hid_t root) { set_text(root, "format", "scalemark-result\x1B[2J"); }),
      edited("unknown_status", "\"good?[31m\"", "/cases/000000",
             [](hid_t group) { set_text(group, "status", "good\x1B[31m"); }),
      edited("metric_of_zero_operations", "inner 0", kLatency,
             [](hid_t metric) {
               H5Adelete(metric, "inner");
               h5::write_attribute(metric, "inner", std::uint64_t{0});
             }),
      edited("mask_of_another_length", "warmup_mask", kLatency,
             [](hid_t metric) {
               H5Ldelete(metric, "warmup_mask", H5P_DEFAULT);
               h5::write_vector(metric, "warmup_mask", std::vector<std::uint8_t>{1, 0});
             }),
      edited("rate_of_nothing", "bandwidth", "/cases/000000/metrics/bandwidth",
             [](hid_t metric) { set_text(metric, "source", "nothing"); }),
      edited("ranks_of_different_lengths", "topology", "/topology/ranks",
             [](hid_t ranks) {
               H5Ldelete(ranks, "node", H5P_DEFAULT);
               h5::write_texts(ranks, "node", {"a"});
             }),
      edited("numa_of_other_lengths", "topology", "/topology/ranks",
             [](hid_t ranks) { replace_numbers<std::int64_t>(ranks, "numa", {0}); }),
      edited("mask_of_real_numbers", "warmup_mask are not integers", kLatency,
             [](hid_t metric) {
               replace_numbers<double>(metric, "warmup_mask", {1, 0, 0, 0, 0});
             }),
      edited(
          "flags_too_large", "too large", kLatency,
          [](hid_t metric) {
            replace_numbers<std::uint64_t>(metric, "flags", {0, std::uint64_t{1} << 40, 0, 0, 0});
          }),
      edited("index_beyond_all", "is too large", "/cases/000000",
             [](hid_t group) { set_index(group, std::uint64_t{1} << 50); }),
      edited("index_of_another_case", "says that its index is 1", "/cases/000000",
             [](hid_t group) { set_index(group, 1); }),
      edited(
          "case_without_a_number", "has no number", "/cases",
          [](hid_t cases) { H5Lmove(cases, "000000", cases, "first", H5P_DEFAULT, H5P_DEFAULT); }),
  };
}

}  // namespace scalemark::test
