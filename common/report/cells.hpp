// SPDX-License-Identifier: Apache-2.0
// Values as cells of CSV, JSON and aligned text.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/result/value.hpp"

namespace scalemark::report {

/// A text cell by RFC 4180, cleaned for a terminal. A cell that a spreadsheet would take for a
/// formula (first character = + - @) gets an apostrophe in front.
std::string csv_cell(std::string_view text);
/// Up to twelve significant digits; empty for NaN and infinities.
std::string csv_number(double value);

/// null for NaN and infinities, which JSON does not have.
nlohmann::ordered_json json_number(double value);
nlohmann::ordered_json json_value(const Value& value);
/// Text from a file, cleaned.
nlohmann::ordered_json json_text(std::string_view text);

/// Text filled up with blanks to `width` on its right or left.
std::string left_aligned(std::string_view text, std::size_t width);
std::string right_aligned(std::string_view text, std::size_t width);

}  // namespace scalemark::report
