// SPDX-License-Identifier: Apache-2.0
// A good result changed by HDF5's own calls, as the bytes say: what checksums keep fuzz_bytes from.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "tests/common/store/hostile_files.hpp"
#include "tests/fuzz/read_and_print.hpp"

namespace {

namespace h5 = scalemark::store::h5;

constexpr const char* kCase = "/cases/000000";

/// The bytes as choices; zeros behind the end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  template <typename T, std::size_t N>
  const T& of(const std::array<T, N>& all) {
    return all[byte() % N];
  }
  std::string text() {
    std::string text(byte() % 24, '\0');
    std::ranges::generate(text, [this] { return static_cast<char>(byte()); });
    return text;
  }
  std::int64_t number() {
    constexpr std::array<std::int64_t, 8> kSpecial = {
        0, 1, -1, INT64_MAX, INT64_MIN, std::int64_t{1} << 32, 1'000'000'000, 65'536};
    const std::uint8_t choice = byte();
    return choice < 128 ? of(kSpecial) : choice - 128;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

constexpr std::array kObjects = {"/",
                                 "/run",
                                 "/env",
                                 "/env/common",
                                 "/env/differs",
                                 "/env/raw",
                                 "/topology",
                                 "/topology/ranks",
                                 "/cases",
                                 kCase,
                                 "/cases/000000/params",
                                 "/cases/000000/facts",
                                 "/cases/000000/metrics",
                                 "/cases/000000/metrics/latency",
                                 "/cases/000000/metrics/bandwidth",
                                 "/cases/000000/metrics/accuracy",
                                 "/cases/000000/metrics/latency/derived"};

constexpr std::array kNames = {
    "samples",     "warmup_mask", "flags",   "derived",        "scale",
    "inner",       "order",       "unit",    "better",         "kind",
    "rank_reduce", "formula",     "source",  "numerator",      "index",
    "name",        "key",         "status",  "primary_metric", "verified",
    "checked",     "wrong",       "planned", "config",         "rank",
    "node",        "numa",        "format",  "format_version", "complete",
    "seed",        "repeat",      "latency", "bandwidth",      "accuracy",
    "000000",      "000001",      "bytes",   "ranks",          "hwloc"};

std::string name_of(Choices& choices) {
  return choices.byte() % 8 == 0 ? choices.text() : choices.of(kNames);
}

h5::Id type_of(Choices& choices) {
  const std::array<hid_t, 12> all = {
      H5T_STD_U8LE,   H5T_STD_U16LE,  H5T_STD_I64LE,   H5T_STD_U64LE, H5T_STD_U64BE, H5T_IEEE_F32LE,
      H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_STD_REF_OBJ, H5T_STD_B8LE,  H5T_C_S1,      H5T_STD_I32LE};
  h5::Id type(H5Tcopy(choices.of(all)), H5Tclose, "fuzz");
  const std::uint8_t how = choices.byte();
  if (how % 4 == 1) H5Tset_size(type.get(), how % 8 == 1 ? H5T_VARIABLE : how);
  if (how % 16 == 2) H5Tset_precision(type.get(), how);
  return type;
}

void set_attribute(hid_t object, Choices& choices) {
  const std::string name = name_of(choices);
  if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  switch (choices.byte() % 4) {
    case 0:
      h5::write_attribute(object, name, choices.text());
      break;
    case 1:
      h5::write_attribute(object, name, choices.number());
      break;
    case 2:
      h5::write_attribute(object, name, static_cast<double>(choices.number()) / 3);
      break;
    default: {
      const hsize_t count = choices.byte() % 4;
      const h5::Id type = type_of(choices);
      const h5::Id space(H5Screate_simple(1, &count, nullptr), H5Sclose, "fuzz");
      const h5::Id attribute(
          H5Acreate2(object, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
          H5Aclose, "fuzz");
    }
  }
}

constexpr hsize_t kMaxWritten = 4096, kTooMany = kMaxWritten + 1;

/// Any type, shape and layout; written if it is small, or not.
void set_dataset(hid_t group, Choices& choices) {
  const std::string name = name_of(choices);
  H5Ldelete(group, name.c_str(), H5P_DEFAULT);
  const h5::Id type = type_of(choices);
  std::array<hsize_t, 3> shape{}, chunk{};
  const int rank = choices.byte() % 4;
  hsize_t elements = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    shape[i] = static_cast<hsize_t>(choices.number());
    chunk[i] = 1 + choices.byte() % 16;
    if (i < static_cast<std::size_t>(rank))
      elements = std::max(elements, shape[i]) > kMaxWritten ? kTooMany : elements * shape[i];
  }
  const h5::Id space(H5Screate_simple(rank, shape.data(), nullptr), H5Sclose, "fuzz");
  const h5::Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "fuzz");
  const std::uint8_t how = choices.byte();
  if (how % 2 == 1 && rank > 0) {
    H5Pset_chunk(list.get(), rank, chunk.data());
    if (how % 4 > 1) H5Pset_shuffle(list.get());
    if (how % 8 > 3) H5Pset_deflate(list.get(), 1);
    if (how % 16 > 7) H5Pset_fletcher32(list.get());
  }
  const h5::Id dataset(H5Dcreate2(group, name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                  list.get(), H5P_DEFAULT),
                       H5Dclose, "fuzz");
  if (how < 128 || elements > kMaxWritten || H5Tis_variable_str(type.get()) > 0) return;
  std::string values(elements * std::max<std::size_t>(H5Tget_size(type.get()), 8), '\0');
  std::ranges::generate(values, [&] { return static_cast<char>(choices.byte()); });
  H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

void change(hid_t file, Choices& choices) {
  const char* path = choices.of(kObjects);
  const h5::Id object(H5Oopen(file, path, H5P_DEFAULT), H5Oclose, "fuzz");
  const std::string name = name_of(choices);
  switch (choices.byte() % 8) {
    case 0:
      H5Adelete(object.get(), name.c_str());
      break;
    case 1:
      H5Ldelete(object.get(), name.c_str(), H5P_DEFAULT);
      break;
    case 2:
      H5Lcreate_hard(file, choices.of(kObjects), object.get(), name.c_str(), H5P_DEFAULT,
                     H5P_DEFAULT);
      break;
    case 3:
      H5Lmove(object.get(), name.c_str(), object.get(), name_of(choices).c_str(), H5P_DEFAULT,
              H5P_DEFAULT);
      break;
    case 4:
      H5Ocopy(file, choices.of(kObjects), object.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      break;
    case 5:
      set_dataset(object.get(), choices);
      break;
    default:
      set_attribute(object.get(), choices);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path good = [] {
    std::filesystem::path path = scalemark::fuzz::scratch_file();
    path.replace_extension(".good");
    scalemark::test::write_good_file(path);
    return path;
  }();
  const std::filesystem::path file = scalemark::fuzz::scratch_file();
  std::filesystem::copy_file(good, file, std::filesystem::copy_options::overwrite_existing);
  Choices choices(data, size);
  {
    const h5::Id opened(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "fuzz");
    for (int i = 0; i < 8 && !choices.empty(); ++i) {
      try {
        change(opened.get(), choices);
      } catch (const scalemark::Error&) {
        continue;  // an edit that HDF5 does not make
      }
    }
  }
  scalemark::fuzz::read_and_print(file, false);
  std::filesystem::remove(file);
  return 0;
}
