// SPDX-License-Identifier: Apache-2.0
// Copies groups and datasets between files, without what refers to the heap of the file.
#include <array>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/store/h5/h5.hpp"

namespace scalemark::store::h5 {
namespace {

/// Attributes of dimension scales. The heap that most of them refer to has no checksum: HDF5
/// crashes on a flipped bit there. What they say is written anew.
constexpr std::array kScaleAttributes = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST",
                                         "DIMENSION_LABELS"};

void copy_attribute(hid_t from, hid_t to, const std::string& name) {
  const std::string what = fmt::format("attribute '{}'", text::printable(name, 80));
  const Id source(H5Aopen(from, name.c_str(), H5P_DEFAULT), H5Aclose, what);
  const Id type(H5Aget_type(source.get()), H5Tclose, what);
  const Id space(H5Aget_space(source.get()), H5Sclose, what);
  const std::size_t width = H5Tget_size(type.get());
  const bool is_text =
      H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0;
  if (H5Tcommitted(type.get()) != 0 || !(is_text || is_plain_number(type.get())) ||
      H5Sget_simple_extent_npoints(space.get()) != 1 || width > kMaxAttributeText)
    throw InputError(what + " has a type that a result file never has");
  std::vector<char> value(width);
  check(H5Aread(source.get(), type.get(), value.data()), what);
  const Id target(H5Acreate2(to, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                  H5Aclose, what);
  check(H5Awrite(target.get(), type.get(), value.data()), what);
}

void copy_attributes(hid_t from, hid_t to) {
  for (const std::string& name : attribute_names(from)) {
    if (std::ranges::find(kScaleAttributes, name) == kScaleAttributes.end())
      copy_attribute(from, to, name);
  }
}

void copy_dataset(hid_t from, hid_t to, const std::string& name) {
  const std::string what = "copy of " + name;
  const Id source = open_dataset(from, name);  // refuses types that refer to the heap
  const Id properties(H5Pcreate(H5P_OBJECT_COPY), H5Pclose, what);
  check(H5Pset_copy_object(properties.get(), H5O_COPY_WITHOUT_ATTR_FLAG), what);
  check(H5Ocopy(from, name.c_str(), to, name.c_str(), properties.get(), H5P_DEFAULT), what);
  copy_attributes(source.get(), open_known_dataset(to, name).get());
}

bool is_group(hid_t parent, const std::string& name) {
  H5O_info_t info;
  check(H5Oget_info_by_name2(parent, name.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT),
        "object " + name);
  return info.type == H5O_TYPE_GROUP;
}

}  // namespace

void copy(hid_t from, hid_t to, const std::string& name, const std::set<std::string>& left_out) {
  if (!is_group(from, name)) return copy_dataset(from, to, name);
  const Id source = open_group(from, name);
  const Id target = create_group(to, name);
  copy_attributes(source.get(), target.get());
  for (const std::string& member : members(source.get())) {
    if (!left_out.contains(member)) copy(source.get(), target.get(), member);
  }
}

}  // namespace scalemark::store::h5
