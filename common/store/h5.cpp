// SPDX-License-Identifier: Apache-2.0
// Handles, files, groups and attributes.
#include "common/store/h5.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::store::h5 {
namespace {

/// HDF5's error stack as one line, innermost first.
std::string explain() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
        auto& out = *static_cast<std::string*>(data);
        if (error->desc) out = error->desc;
        return 0;
      },
      &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "unknown HDF5 error" : text::printable(text, 300);
}

/// The library prints its stack to stderr unless told not to; we put it into the exception.
void silence() {
  static const bool once = [] {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    unsigned none = 0;
    H5PLset_loading_state(none);
    return true;
  }();
  (void)once;
}

void check(herr_t code, const std::string& action) {
  if (code < 0) throw Error(fmt::format("{}: {}", action, explain()));
}

Id text_type(std::size_t length) {
  Id type(H5Tcopy(H5T_C_S1), H5Tclose, "text type");
  check(H5Tset_size(type.get(), std::max<std::size_t>(length, 1)), "text type");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "text type");
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "text type");
  return type;
}

template <typename T>
void write_scalar_attribute(hid_t object, const std::string& name, hid_t type, const T& value) {
  const Id space(H5Screate(H5S_SCALAR), H5Sclose, "attribute " + name);
  const Id attribute(H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "attribute " + name);
  check(H5Awrite(attribute.get(), type, &value), "attribute " + name);
}

Id open_scalar_attribute(hid_t object, const std::string& name) {
  if (!has_attribute(object, name)) throw InputError(fmt::format("attribute '{}' is missing", name));
  Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "attribute " + name);
  const Id space(H5Aget_space(attribute.get()), H5Sclose, "attribute " + name);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) throw InputError(fmt::format("attribute '{}' is not a single value", text::printable(name, 80)));
  return attribute;
}

}  // namespace

Id::Id(hid_t id, Close closer, const std::string& action) : id_(id), close_(closer) {
  if (id < 0) throw Error(fmt::format("{}: {}", action, explain()));
}

Id::Id(Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}

Id& Id::operator=(Id&& other) noexcept {
  if (this != &other) {
    if (id_ >= 0) close_(id_);
    id_ = std::exchange(other.id_, H5I_INVALID_HID);
    close_ = other.close_;
  }
  return *this;
}

Id::~Id() {
  if (id_ >= 0) close_(id_);
}

void Id::close(const std::string& action) {
  const hid_t id = std::exchange(id_, H5I_INVALID_HID);
  if (id >= 0) check(close_(id), action);
}

Id create_file(const std::filesystem::path& path) {
  silence();
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V110), "file access");
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "file access");
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, fmt::format("cannot create {}", path.string())};
}

Id open_file(const std::filesystem::path& path) {
  silence();
  const std::string name = text::printable(path.string());
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw InputError(fmt::format("{}: {}", name, error ? error.message() : "is no regular file"));
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "file access");
  check(H5Pset_file_locking(access.get(), 0, 1), "file access");
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  if (id < 0) throw InputError(fmt::format("{}: not a readable HDF5 file ({})", name, explain()));
  return {id, H5Fclose, name};
}

Id create_group(hid_t parent, const std::string& name) {
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "group " + name};
}

Id open_group(hid_t parent, const std::string& name) {
  if (!has(parent, name)) throw InputError(fmt::format("group '{}' is missing", text::printable(name, 80)));
  const hid_t id = H5Gopen2(parent, name.c_str(), H5P_DEFAULT);
  if (id < 0) throw InputError(fmt::format("'{}' is no group: {}", text::printable(name, 80), explain()));
  return {id, H5Gclose, name};
}

bool has(hid_t parent, const std::string& name) {
  if (H5Lexists(parent, name.c_str(), H5P_DEFAULT) <= 0) {
    H5Eclear2(H5E_DEFAULT);
    return false;
  }
  H5L_info_t info;
  if (H5Lget_info(parent, name.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) {
    throw InputError(fmt::format("'{}' is a link to elsewhere, which a result file never has", text::printable(name, 80)));
  }
  return true;
}

std::vector<std::string> members(hid_t group) {
  H5G_info_t info;
  check(H5Gget_info(group, &info), "group");
  if (info.nlinks > kMaxChildren) throw InputError(fmt::format("a group has {} members, more than {}", info.nlinks, kMaxChildren));
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
    if (length <= 0 || length > 4096) throw InputError("a member has no usable name");
    std::string name(static_cast<std::size_t>(length) + 1, '\0');
    H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(), H5P_DEFAULT);
    name.resize(static_cast<std::size_t>(length));
    has(group, name);
    names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

void write_attribute(hid_t object, const std::string& name, const std::string& value) {
  const Id type = text_type(value.size());
  const Id space(H5Screate(H5S_SCALAR), H5Sclose, "attribute " + name);
  const Id attribute(H5Acreate2(object, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "attribute " + name);
  const std::string padded = value.empty() ? std::string(1, '\0') : value;
  check(H5Awrite(attribute.get(), type.get(), padded.data()), "attribute " + name);
}

void write_attribute(hid_t object, const std::string& name, std::int64_t value) {
  write_scalar_attribute(object, name, H5T_NATIVE_INT64, value);
}

void write_attribute(hid_t object, const std::string& name, std::uint64_t value) {
  write_scalar_attribute(object, name, H5T_NATIVE_UINT64, value);
}

void write_attribute(hid_t object, const std::string& name, double value) {
  write_scalar_attribute(object, name, H5T_NATIVE_DOUBLE, value);
}

bool has_attribute(hid_t object, const std::string& name) { return H5Aexists(object, name.c_str()) > 0; }

std::string read_text_attribute(hid_t object, const std::string& name) {
  const Id attribute = open_scalar_attribute(object, name);
  const Id type(H5Aget_type(attribute.get()), H5Tclose, "attribute " + name);
  const std::size_t size = H5Tget_size(type.get());
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0 || size > kMaxAttributeText) {
    throw InputError(fmt::format("attribute '{}' is no text of a fixed length", text::printable(name, 80)));
  }
  std::string value(size, '\0');
  check(H5Aread(attribute.get(), type.get(), value.data()), "attribute " + name);
  value.resize(std::min(value.find('\0'), value.size()));
  return value;
}

std::int64_t read_integer_attribute(hid_t object, const std::string& name) {
  if (attribute_type(object, name) != AttributeType::integer) throw InputError(fmt::format("attribute '{}' is no integer", name));
  const Id attribute = open_scalar_attribute(object, name);
  std::int64_t value = 0;
  check(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), "attribute " + name);
  return value;
}

double read_real_attribute(hid_t object, const std::string& name) {
  if (attribute_type(object, name) == AttributeType::text) throw InputError(fmt::format("attribute '{}' is no number", name));
  const Id attribute = open_scalar_attribute(object, name);
  double value = 0;
  check(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value), "attribute " + name);
  return value;
}

AttributeType attribute_type(hid_t object, const std::string& name) {
  const Id attribute = open_scalar_attribute(object, name);
  const Id type(H5Aget_type(attribute.get()), H5Tclose, "attribute " + name);
  switch (H5Tget_class(type.get())) {
    case H5T_STRING: return AttributeType::text;
    case H5T_INTEGER: return AttributeType::integer;
    case H5T_FLOAT: return AttributeType::real;
    default: throw InputError(fmt::format("attribute '{}' has a type that a result file never has", text::printable(name, 80)));
  }
}

std::vector<std::string> attribute_names(hid_t object) {
  std::vector<std::string> names;
  hsize_t index = 0;
  const herr_t code = H5Aiterate2(
      object, H5_INDEX_NAME, H5_ITER_INC, &index,
      [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
        auto& list = *static_cast<std::vector<std::string>*>(data);
        list.emplace_back(name);
        return list.size() > 100'000 ? -1 : 0;
      },
      &names);
  if (code < 0) throw InputError("an object has too many attributes");
  return names;
}

void write_text(hid_t parent, const std::string& name, const std::string& value) {
  const Id type = text_type(value.size());
  const Id space(H5Screate(H5S_SCALAR), H5Sclose, "dataset " + name);
  const Id dataset(H5Dcreate2(parent, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, "dataset " + name);
  const std::string padded = value.empty() ? std::string(1, '\0') : value;
  check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), "dataset " + name);
}

std::string read_text(hid_t parent, const std::string& name) {
  const std::vector<std::string> values = read_texts(parent, name);
  if (values.size() != 1) throw InputError(fmt::format("dataset '{}' is not a single text", name));
  return values[0];
}

void write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& values) {
  std::size_t width = 1;
  for (const std::string& value : values) width = std::max(width, value.size());
  std::string packed(width * values.size(), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i].copy(packed.data() + i * width, width);
  const Id type = text_type(width);
  const hsize_t count = values.size();
  const Id space(H5Screate_simple(1, &count, nullptr), H5Sclose, "dataset " + name);
  const Id dataset(H5Dcreate2(parent, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, "dataset " + name);
  if (count > 0) check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), "dataset " + name);
}

std::vector<std::string> read_texts(hid_t parent, const std::string& name) {
  const Id dataset = open_dataset(parent, name);
  const Id type(H5Dget_type(dataset.get()), H5Tclose, "dataset " + name);
  const Id space(H5Dget_space(dataset.get()), H5Sclose, "dataset " + name);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get()));
  const std::size_t width = H5Tget_size(type.get());
  if (H5Tget_class(type.get()) != H5T_STRING || width > kMaxText || (count > 0 && width > kMaxText / count)) {
    throw InputError(fmt::format("dataset '{}' is no text, or too long", text::printable(name, 80)));
  }
  std::string packed(width * count, '\0');
  if (count > 0) check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), "dataset " + name);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) {
    std::string value = packed.substr(i * width, width);
    value.resize(std::min(value.find('\0'), value.size()));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace scalemark::store::h5
