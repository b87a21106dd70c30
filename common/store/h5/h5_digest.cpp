// SPDX-License-Identifier: Apache-2.0
// Computes, stores and checks digests of datasets and groups. docs/internals/result-file.md says
// which bytes they are taken of.
#include "common/store/h5/h5_digest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "common/base/sha256.hpp"
#include "common/base/text.hpp"

namespace scalemark::store::h5 {
namespace {

static_assert(std::endian::native == std::endian::little, "digests are of little-endian values");

using Skip = std::function<bool(std::string_view path)>;

void add_number(Sha256& digest, std::uint64_t number) { digest.add(&number, sizeof number); }

void add_text(Sha256& digest, std::string_view text) {
  add_number(digest, text.size());
  digest.add(text);
}

void add_type(Sha256& digest, hid_t type) {
  add_number(digest, static_cast<std::uint64_t>(H5Tget_class(type)));
  add_number(digest, H5Tget_size(type));
  const bool is_signed = H5Tget_class(type) == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
  add_number(digest, is_signed ? 1 : 0);
}

/// Adds type and shape, and returns the number of elements.
std::size_t add_shape(Sha256& digest, hid_t dataset, hid_t type) {
  const Id space(H5Dget_space(dataset), H5Sclose, "shape");
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  if (rank < 0) throw InputError("a dataset has no shape");
  add_type(digest, type);
  add_number(digest, static_cast<std::uint64_t>(rank));
  for (int i = 0; i < rank; ++i) add_number(digest, extents[static_cast<std::size_t>(i)]);
  return static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get()));
}

/// Adds `count` elements that are `width` bytes in the file and `memory_width` in memory: their
/// lowest bytes, which hold the whole value.
void add_values(Sha256& digest, const void* values, std::size_t count, std::size_t width,
                std::size_t memory_width) {
  if (width >= memory_width) return digest.add(values, count * width);
  constexpr std::size_t kBlock = 4096;
  std::vector<char> narrow(std::min(count, kBlock) * width);
  const auto* from = static_cast<const char*>(values);
  while (count > 0) {
    const std::size_t some = std::min(count, kBlock);
    for (std::size_t i = 0; i < some; ++i)
      std::copy_n(from + i * memory_width, width, narrow.data() + i * width);
    digest.add(narrow.data(), some * width);
    from += some * memory_width;
    count -= some;
  }
}

std::string short_hex(Sha256& digest) { return digest.hex().substr(0, kDigestLength); }

std::string digest_of_values(hid_t dataset, hid_t type, std::size_t memory_width,
                             const void* values) {
  Sha256 digest;
  const std::size_t count = add_shape(digest, dataset, type);
  add_values(digest, values, count, H5Tget_size(type), memory_width);
  return short_hex(digest);
}

/// Adds all that a group holds, but for values of datasets.
class Walk {
 public:
  Walk(Sha256& digest, const Skip& skip) : digest_(digest), skip_(skip) {}

  void group(hid_t group, const std::string& path) {
    attributes(group, path.empty());
    for (const std::string& name : members(group)) {
      const std::string below = path.empty() ? name : path + "/" + name;
      if (!skip_(below)) member(group, name, below);
    }
    add_text(digest_, "");
  }

 private:
  void member(hid_t parent, const std::string& name, const std::string& path) {
    H5O_info_t info;
    check(H5Oget_info_by_name2(parent, name.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT), name);
    add_text(digest_, name);
    add_number(digest_, static_cast<std::uint64_t>(info.type));
    if (info.type == H5O_TYPE_GROUP) return group(open_group(parent, name).get(), path);
    const Id dataset = open_dataset(parent, name);
    const Id type(H5Dget_type(dataset.get()), H5Tclose, name);
    add_shape(digest_, dataset.get(), type.get());
    attributes(dataset.get(), false);
  }

  void attributes(hid_t object, bool top) {
    for (const std::string& name : attribute_names(object)) {
      if (is_scale_attribute(name) || (top && name == kDigest)) continue;
      const PlainAttribute attribute = read_plain_attribute(object, name);
      add_text(digest_, name);
      add_type(digest_, attribute.type.get());
      digest_.add(attribute.value.data(), attribute.value.size());
    }
    add_text(digest_, "");
  }

  Sha256& digest_;
  const Skip& skip_;
};

}  // namespace

void seal_values(hid_t dataset, hid_t type, const void* values) {
  write_attribute(dataset, kDigest, digest_of_values(dataset, type, H5Tget_size(type), values));
}

void check_values(hid_t dataset, hid_t memory_type, const void* values, std::string_view what) {
  if (!has_attribute(dataset, kDigest)) return;  // a file of an earlier version
  const Id type(H5Dget_type(dataset), H5Tclose, what);
  if (read_text_attribute(dataset, kDigest) !=
      digest_of_values(dataset, type.get(), H5Tget_size(memory_type), values))
    throw InputError(fmt::format("{} is damaged: its values do not match their digest", what));
}

std::string digest_of(hid_t group, const Skip& skip) {
  Sha256 digest;
  Walk(digest, skip).group(group, "");
  return short_hex(digest);
}

void seal(hid_t group, const Skip& skip) {
  write_attribute(group, kDigest, digest_of(group, skip));
}

bool check_seal(hid_t group, const Skip& skip) {
  if (!has_attribute(group, kDigest)) return false;
  if (read_text_attribute(group, kDigest) != digest_of(group, skip))
    throw InputError("is damaged: its contents do not match their digest");
  return true;
}

bool is_scale_attribute(std::string_view name) {
  // Defined by the HDF5 dimension scales specification.
  constexpr std::array<std::string_view, 5> kNames = {"CLASS", "NAME", "DIMENSION_LIST",
                                                      "REFERENCE_LIST", "DIMENSION_LABELS"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace scalemark::store::h5
