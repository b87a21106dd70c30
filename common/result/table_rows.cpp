// SPDX-License-Identifier: Apache-2.0
// Columns matched by name.
#include "common/result/table_rows.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace scalemark {
namespace {

std::size_t rows_of(const Table& table) {
  if (table.columns.empty()) return 0;
  return std::visit([](const auto& values) { return values.size(); }, table.columns[0].values);
}

/// Filler for a row without a value in the column.
template <class T>
T nothing_read() {
  if constexpr (std::is_same_v<T, double>) return std::numeric_limits<double>::quiet_NaN();
  return {};
}

}  // namespace

void append_rows(Table& all, const Table& next) {
  const std::size_t before = rows_of(all), more = rows_of(next);
  for (const Column& column : next.columns) {
    auto mine = std::ranges::find(all.columns, column.name, &Column::name);
    std::visit(
        [&](const auto& values) {
          using Values = std::decay_t<decltype(values)>;
          if (mine == all.columns.end()) {
            const Values none(before, nothing_read<typename Values::value_type>());
            mine = all.columns.insert(mine, {column.name, column.unit, none});
          }
          // A column of another type cannot be put below this one: its rows stay empty.
          if (auto* known = std::get_if<Values>(&mine->values))
            known->insert(known->end(), values.begin(), values.end());
        },
        column.values);
  }
  for (Column& column : all.columns) {
    std::visit(
        [&](auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          values.resize(before + more, nothing_read<T>());
        },
        column.values);
  }
}

}  // namespace scalemark
