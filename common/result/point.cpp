// SPDX-License-Identifier: Apache-2.0
// Typed values of a point, and its canonical key.
#include "common/result/point.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark {
namespace {

/// Names of the types of a Value, in its order.
constexpr const char* kTypes[] = {"a flag", "an integer", "a number", "text"};

template <typename T>
const char* type_name() {
  return kTypes[Value(T{}).index()];
}

template <typename T>
const T& typed(const std::string& axis, const Value& value) {
  if (const T* held = std::get_if<T>(&value)) return *held;
  throw Error(fmt::format("axis {} is {} ('{}'), not {}", axis, kTypes[value.index()],
                          text::printable(to_text(value), 80), type_name<T>()));
}

template <typename T>
const T& required(const Point& point, const std::string& axis) {
  const Value* value = point.find(axis);
  if (value == nullptr)
    throw Error(fmt::format("no axis {} to read {} from", axis, type_name<T>()));
  return typed<T>(axis, *value);
}

/// Blanks separate the pairs of a key: in a value they, controls and the escape itself become %XX.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7F || c == '%') {
      result += fmt::format("%{:02X}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::int64_t Point::integer(const std::string& axis) const {
  return required<std::int64_t>(*this, axis);
}

const std::string& Point::text(const std::string& axis) const {
  return required<std::string>(*this, axis);
}

bool Point::flag(const std::string& axis) const { return required<bool>(*this, axis); }

double Point::number(const std::string& axis) const { return required<double>(*this, axis); }

std::int64_t Point::integer(const std::string& axis, std::int64_t otherwise) const {
  const Value* value = find(axis);
  return value == nullptr ? otherwise : typed<std::int64_t>(axis, *value);
}

std::string Point::text(const std::string& axis, std::string_view otherwise) const {
  const Value* value = find(axis);
  return value == nullptr ? std::string(otherwise) : typed<std::string>(axis, *value);
}

bool Point::flag(const std::string& axis, bool otherwise) const {
  const Value* value = find(axis);
  return value == nullptr ? otherwise : typed<bool>(axis, *value);
}

const Value* Point::find(const std::string& axis) const {
  const auto found = values_.find(axis);
  return found == values_.end() ? nullptr : &found->second;
}

std::string make_key(std::string_view name, const Point& point) {
  std::string key(name);
  for (const auto& [axis, value] : point)
    key += fmt::format(" {}={}", axis, escaped(to_text(value)));
  return key;
}

std::string name_in_suite(std::string_view key) {
  const std::string_view name = key.substr(0, key.find(' '));
  return std::string(name.substr(name.find('/') + 1));
}

}  // namespace scalemark
