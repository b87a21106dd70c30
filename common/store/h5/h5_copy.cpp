// SPDX-License-Identifier: Apache-2.0
// Copies groups and datasets between files, without what refers to the heap of the file. H5Ocopy()
// of HDF5 1.10 crashes where a read fails, so chunks are copied one by one.
#include <vector>

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
  const Id type(H5Dget_type(source.get()), H5Tclose, what);
  const Id space(H5Dget_space(source.get()), H5Sclose, what);
  const Id properties = storage_properties(source.get(), what);
  const Id target(H5Dcreate2(to, name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                             properties.get(), H5P_DEFAULT),
                  H5Dclose, what);
  if (H5Pget_layout(properties.get()) == H5D_CHUNKED) {
    copy_chunks(source.get(), target.get(), what);
  } else if (const hssize_t count = H5Sget_simple_extent_npoints(space.get()); count > 0) {
    std::vector<char> values(static_cast<std::size_t>(count) * H5Tget_size(type.get()));
    check(H5Dread(source.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
    check(H5Dwrite(target.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  }
  copy_attributes(source.get(), target.get());
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
