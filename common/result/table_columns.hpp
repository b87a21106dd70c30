// SPDX-License-Identifier: Apache-2.0
// Columns of a table by name and type.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark {
/// The values of a column; null if there is none of that name, or with values of another type.
template <typename T>
const std::vector<T>* values_of(const Table& table, std::string_view name) {
  for (const Column& column : table.columns) {
    if (column.name == name) return std::get_if<std::vector<T>>(&column.values);
  }
  return nullptr;
}

}  // namespace scalemark
