// SPDX-License-Identifier: Apache-2.0
// Reads and writes attributes, and texts as attributes and datasets.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/h5/h5_digest.hpp"

namespace scalemark::store::h5 {
namespace {

std::string quoted(const std::string& name) {
  return "attribute '" + text::printable(name, 80) + "'";
}

/// Owns an id of an attribute. The text of the error is made only if there is one: thousands of
/// attributes are read for each file.
Id own(hid_t id, Id::Close close, const std::string& name) {
  return {id, close, id < 0 ? quoted(name) : std::string()};
}

void check_attribute(herr_t code, const std::string& name) {
  if (code < 0) check(code, quoted(name));
}

void write_scalar(hid_t object, const std::string& name, hid_t type, const void* value) {
  const Id space = own(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Id attribute =
      own(H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
          name);
  check_attribute(H5Awrite(attribute.get(), type, value), name);
}

Id open_scalar(hid_t object, const std::string& name) {
  if (!has_attribute(object, name)) throw InputError(quoted(name) + " is missing");
  Id attribute = own(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, name);
  const Id space = own(H5Aget_space(attribute.get()), H5Sclose, name);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) {
    throw InputError(quoted(name) + " is not a single value");
  }
  return attribute;
}

template <typename T>
T read_number(hid_t object, const std::string& name, hid_t type) {
  const Id attribute = open_scalar(object, name);
  T value = 0;
  check_attribute(H5Aread(attribute.get(), type, &value), name);
  return value;
}

void require_integer(hid_t object, const std::string& name) {
  if (attribute_type(object, name) != AttributeType::integer) {
    throw InputError(quoted(name) + " is not an integer");
  }
}

}  // namespace

Id text_type(std::size_t length) {
  Id type(H5Tcopy(H5T_C_S1), H5Tclose, "text type");
  check(H5Tset_size(type.get(), std::max<std::size_t>(length, 1)), "text type");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "text type");
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "text type");
  return type;
}

std::string clean_text(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  std::string clean;
  while (!text.empty()) {
    const std::size_t run = std::min(text.find_first_of("\n\t"), text.size());
    clean += text::printable(text.substr(0, run), run);
    if (run < text.size()) clean += text[run];
    text.remove_prefix(std::min(run + 1, text.size()));
  }
  return clean;
}

void write_attribute(hid_t object, const std::string& name, const std::string& value) {
  const Id type = text_type(value.size());
  // c_str(): an empty text is written as a single NUL.
  write_scalar(object, name, type.get(), value.c_str());
}

void write_attribute(hid_t object, const std::string& name, std::int64_t value) {
  write_scalar(object, name, H5T_NATIVE_INT64, &value);
}

void write_attribute(hid_t object, const std::string& name, std::uint64_t value) {
  write_scalar(object, name, H5T_NATIVE_UINT64, &value);
}

void write_attribute(hid_t object, const std::string& name, double value) {
  write_scalar(object, name, H5T_NATIVE_DOUBLE, &value);
}

bool has_attribute(hid_t object, const std::string& name) {
  const htri_t found = H5Aexists(object, name.c_str());
  // Also for lack of memory, which must not look like an object without it: one without a digest.
  if (found < 0) throw InputError(fmt::format("an attribute cannot be looked up: {}", explain()));
  return found > 0;
}

namespace {

/// The text up to its first NUL.
std::string read_raw_text(hid_t object, const std::string& name) {
  const Id attribute = open_scalar(object, name);
  const Id type = own(H5Aget_type(attribute.get()), H5Tclose, name);
  const std::size_t size = H5Tget_size(type.get());
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
      size > kMaxAttributeText) {
    throw InputError(quoted(name) + " is not a text of a fixed length");
  }
  std::string value(size, '\0');
  check_attribute(H5Aread(attribute.get(), type.get(), value.data()), name);
  value.resize(std::min(value.find('\0'), value.size()));
  return value;
}

}  // namespace

std::string read_text_attribute(hid_t object, const std::string& name) {
  return clean_text(read_raw_text(object, name));
}

std::string read_line_attribute(hid_t object, const std::string& name) {
  std::string value = read_raw_text(object, name);
  if (text::printable(value, kMaxName) != value) {
    throw InputError(quoted(name) + " has control characters, or is too long");
  }
  return value;
}

std::int64_t read_integer_attribute(hid_t object, const std::string& name) {
  require_integer(object, name);
  return read_number<std::int64_t>(object, name, H5T_NATIVE_INT64);
}

std::uint64_t read_unsigned_attribute(hid_t object, const std::string& name) {
  // HDF5 converts a negative number to 0, and one above 2^63 to the largest signed number.
  if (read_integer_attribute(object, name) < 0) throw InputError(quoted(name) + " is negative");
  return read_number<std::uint64_t>(object, name, H5T_NATIVE_UINT64);
}

double read_real_attribute(hid_t object, const std::string& name) {
  if (attribute_type(object, name) == AttributeType::text) {
    throw InputError(quoted(name) + " is not a number");
  }
  return read_number<double>(object, name, H5T_NATIVE_DOUBLE);
}

bool is_plain_number(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t width = H5Tget_size(type);
  if (kind == H5T_INTEGER) {
    return (width == 1 || width == 2 || width == 4 || width == 8) &&
           H5Tget_precision(type) == 8 * width;
  }
  if (kind != H5T_FLOAT) return false;
  return H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0 ||
         H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0;
}

AttributeType attribute_type(hid_t object, const std::string& name) {
  const Id attribute = open_scalar(object, name);
  const Id type = own(H5Aget_type(attribute.get()), H5Tclose, name);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind == H5T_STRING) return AttributeType::text;
  if (H5Tcommitted(type.get()) != 0 || !is_plain_number(type.get())) {
    throw InputError(quoted(name) + " has a type that a result file never has");
  }
  return kind == H5T_INTEGER ? AttributeType::integer : AttributeType::real;
}

PlainAttribute read_plain_attribute(hid_t object, const std::string& name) {
  const Id attribute = open_scalar(object, name);
  Id type = own(H5Aget_type(attribute.get()), H5Tclose, name);
  const std::size_t width = H5Tget_size(type.get());
  const bool is_text =
      H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0;
  if (H5Tcommitted(type.get()) != 0 || !(is_text || is_plain_number(type.get())) ||
      width > kMaxAttributeText)
    throw InputError(quoted(name) + " has a type that a result file never has");
  std::vector<char> value(width);
  check_attribute(H5Aread(attribute.get(), type.get(), value.data()), name);
  return {std::move(type), std::move(value)};
}

void write_attribute(hid_t object, const std::string& name, const PlainAttribute& attribute) {
  write_scalar(object, name, attribute.type.get(), attribute.value.data());
}

std::vector<std::string> attribute_names(hid_t object) {
  std::vector<std::string> names;
  hsize_t index = 0;
  const herr_t code = H5Aiterate2(
      object, H5_INDEX_NAME, H5_ITER_INC, &index,
      [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
        auto& list = *static_cast<std::vector<std::string>*>(data);
        list.emplace_back(name);
        return list.size() > kMaxAttributes || list.back().size() > kMaxName ? -1 : 0;
      },
      &names);
  if (code < 0) throw InputError("the attributes of an object cannot be listed: " + explain());
  return names;
}

void write_text(hid_t parent, const std::string& name, const std::string& value) {
  const std::string what = "dataset " + name;
  const Id type = text_type(value.size());
  const Id space(H5Screate(H5S_SCALAR), H5Sclose, what);
  const Id dataset(H5Dcreate2(parent, name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                              H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose, what);
  check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()), what);
  seal_values(dataset.get(), type.get(), value.c_str());
}

std::string read_text(hid_t parent, const std::string& name) {
  std::vector<std::string> values = read_texts(parent, name);
  if (values.size() != 1) {
    throw InputError(fmt::format("dataset '{}' is not a single text", text::printable(name, 80)));
  }
  return std::move(values[0]);
}

std::vector<std::string> read_texts(hid_t parent, const std::string& name) {
  const std::string what = fmt::format("dataset '{}'", text::printable(name, 80));
  const Id dataset = open_dataset(parent, name);
  const Id type(H5Dget_type(dataset.get()), H5Tclose, what);
  const Id space(H5Dget_space(dataset.get()), H5Sclose, what);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get()));
  const std::size_t width = H5Tget_size(type.get());
  if (H5Tget_class(type.get()) != H5T_STRING || count > kMaxChildren || width > kMaxText ||
      (count > 0 && width > kMaxText / count)) {
    throw InputError(what + " is not a text, or too long");
  }
  std::string packed(width * count, '\0');
  if (count > 0) read_values(dataset.get(), type.get(), packed.data(), what);
  std::vector<std::string> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(clean_text(std::string_view(packed).substr(i * width, width)));
  }
  return values;
}

}  // namespace scalemark::store::h5
