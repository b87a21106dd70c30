// SPDX-License-Identifier: Apache-2.0
// Copies cases between files without unpacking their chunks.
#include <fmt/format.h>

#include "common/store/schema.hpp"

namespace scalemark::store {
namespace {

/// Dimension scales are created again.
void copy_metrics(hid_t from_case, hid_t to_case) {
  if (!h5::has(from_case, "metrics")) return;
  const h5::Id source = h5::open_group(from_case, "metrics");
  const h5::Id target = need_group(to_case, "metrics");
  for (const std::string& name : h5::members(source.get())) {
    h5::copy(source.get(), target.get(), name, {kDimensions.begin(), kDimensions.end()});
    const h5::Id metric = h5::open_group(target.get(), name);
    if (h5::has(metric.get(), "samples")) write_dimensions(metric.get());
  }
}

void copy_tables(hid_t from, hid_t to, const std::string& name) {
  const auto copy_from = [&](hid_t source, hid_t target, const std::string& group) {
    const h5::Id tables = h5::open_group(source, group);
    if (h5::has(tables.get(), name)) h5::copy(tables.get(), need_group(target, group).get(), name);
  };
  for (const char* single : kSingleTables) {
    if (h5::has(from, single)) copy_from(from, to, single);
  }
  for (const char* family : kTableFamilies) {
    if (!h5::has(from, family)) continue;
    const h5::Id source = h5::open_group(from, family);
    const h5::Id target = need_group(to, family);
    for (const std::string& what : h5::members(source.get()))
      copy_from(source.get(), target.get(), what);
  }
}

}  // namespace

h5::Id need_group(hid_t parent, const std::string& name) {
  return h5::has(parent, name) ? h5::open_group(parent, name) : h5::create_group(parent, name);
}

void copy_case(hid_t from, hid_t to, std::size_t index) {
  // Throws if the case cannot be read: a damaged case is not copied.
  read_case(from, index, false);
  const std::string name = case_name(index);
  const h5::Id source = h5::open_group(from, "cases");
  const h5::Id target = need_group(to, "cases");
  h5::copy(source.get(), target.get(), name, {"metrics"});
  copy_metrics(h5::open_group(source.get(), name).get(), h5::open_group(target.get(), name).get());
  copy_tables(from, to, name);
}

}  // namespace scalemark::store
