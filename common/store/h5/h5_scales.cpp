// SPDX-License-Identifier: Apache-2.0
// HDF5 dimension scales as netCDF-4 writes them, so that its tools show named dimensions.
#include <fmt/format.h>
#include <hdf5_hl.h>

#include "common/store/h5/h5.hpp"

namespace scalemark::store::h5 {
Id open_known_dataset(hid_t parent, const std::string& name) {
  return {H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose, "dataset " + name};
}

Id write_dimension(hid_t parent, const std::string& name, hsize_t length) {
  const std::string what = "dimension " + name;
  const Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  check(H5Pset_obj_track_times(properties.get(), false), what);
  const Id space(H5Screate_simple(1, &length, nullptr), H5Sclose, what);
  // No data are written, so the scale needs no space. netCDF recognises a dimension without
  // coordinates by this type and name.
  Id scale(H5Dcreate2(parent, name.c_str(), H5T_IEEE_F32BE, space.get(), H5P_DEFAULT,
                      properties.get(), H5P_DEFAULT),
           H5Dclose, what);
  const std::string marked =
      fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", length);
  check(H5DSset_scale(scale.get(), marked.c_str()), what);
  return scale;
}

void name_dimensions(hid_t dataset, std::initializer_list<const Id*> scales) {
  unsigned dimension = 0;
  for (const Id* scale : scales)
    check(H5DSattach_scale(dataset, scale->get(), dimension++), "dimension scale");
}

}  // namespace scalemark::store::h5
