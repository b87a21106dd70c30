// SPDX-License-Identifier: Apache-2.0
// Collects axes from keys and formats their values as CSV cells.
#include "common/print/axis_columns.hpp"

#include <algorithm>

#include "common/base/text.hpp"
#include "common/text/cells.hpp"

namespace scalemark::print {

AxisColumns::AxisColumns(const std::vector<std::string>& keys, std::string_view header) {
  for (const std::string& key : keys) {
    for (const std::string& part : text::split(key, ' ')) {
      const std::size_t equals = part.find('=');
      if (equals != std::string::npos && equals > 0) axes_.insert(part.substr(0, equals));
    }
  }
  const std::vector<std::string> taken = text::split(std::string(header), ',');
  for (const std::string& axis : axes_) {
    const bool is_taken = std::ranges::find(taken, axis) != taken.end();
    header_ += ',' + text::csv_cell(is_taken ? "axis_" + axis : axis);
  }
}

std::string AxisColumns::cells(const Point& point) const {
  std::string cells;
  for (const std::string& axis : axes_) {
    cells += ',';
    const Value* found = point.find(axis);
    if (found == nullptr) continue;
    const auto* text = std::get_if<std::string>(found);
    cells += text != nullptr ? text::csv_cell(*text) : to_text(*found);
  }
  return cells;
}

}  // namespace scalemark::print
