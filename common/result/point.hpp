// SPDX-License-Identifier: Apache-2.0
// A point of a benchmark: one value per axis.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "common/result/value.hpp"

namespace scalemark {

/// The values of a case's axes, sorted by name: the order of the canonical key.
class Point {
 public:
  using value_type = NamedValues::value_type;
  using iterator = NamedValues::const_iterator;
  using const_iterator = NamedValues::const_iterator;

  Point() = default;
  Point(std::initializer_list<value_type> values) : values_(values) {}
  explicit Point(NamedValues values) : values_(std::move(values)) {}

  /// The value of an axis. Throws Error that names the axis and the type asked for, if the point
  /// has no such axis or its value has another type.
  std::int64_t integer(const std::string& axis) const;
  const std::string& text(const std::string& axis) const;
  bool flag(const std::string& axis) const;
  double number(const std::string& axis) const;

  /// The same, but `otherwise` if the point has no such axis.
  std::int64_t integer(const std::string& axis, std::int64_t otherwise) const;
  std::string text(const std::string& axis, std::string_view otherwise) const;
  bool flag(const std::string& axis, bool otherwise) const;

  /// The value of an axis of any type; null if the point has no such axis.
  const Value* find(const std::string& axis) const;
  /// The same if it has type T, else null.
  template <typename T>
  const T* find_as(const std::string& axis) const {
    return std::get_if<T>(find(axis));
  }
  bool contains(const std::string& axis) const { return find(axis) != nullptr; }

  /// The value to set; adds the axis if the point does not have it.
  Value& operator[](const std::string& axis) { return values_[axis]; }
  /// Adds an axis; returns false and changes nothing if the point has it.
  bool add(const std::string& axis, Value value) {
    return values_.try_emplace(axis, std::move(value)).second;
  }
  void erase(const std::string& axis) { values_.erase(axis); }

  const NamedValues& values() const { return values_; }
  const_iterator begin() const { return values_.begin(); }
  const_iterator end() const { return values_.end(); }
  bool empty() const { return values_.empty(); }
  bool operator==(const Point&) const = default;

 private:
  NamedValues values_;
};

/// The canonical key: `suite/name axis=value axis=value`, axes sorted, separated by blanks.
std::string make_key(std::string_view name, const Point& point);
/// "allreduce" of "micro/allreduce", or of a key that begins with it.
std::string name_in_suite(std::string_view key);

}  // namespace scalemark
