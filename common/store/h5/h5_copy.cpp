// SPDX-License-Identifier: Apache-2.0
// Copies groups and datasets between files, without what refers to the heap of the file.
#include "common/store/h5/h5.hpp"
#include "common/store/h5/h5_digest.hpp"

namespace scalemark::store::h5 {
namespace {

void copy_attributes(hid_t from, hid_t to) {
  for (const std::string& name : attribute_names(from)) {
    if (!is_scale_attribute(name)) write_attribute(to, name, read_plain_attribute(from, name));
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
