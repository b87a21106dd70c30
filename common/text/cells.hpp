// SPDX-License-Identifier: Apache-2.0
// Formats and escapes cells for CSV, JSON, HTML, Markdown and aligned text. All printers use these
// functions for text that comes from a file.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/result/value.hpp"

namespace scalemark::text {

/// A text cell by RFC 4180, with control characters and invalid UTF-8 replaced by '?'. A cell that
/// starts with = + - @ gets an apostrophe in front: a spreadsheet would run it as a formula.
std::string csv_cell(std::string_view text);
/// A number with up to twelve significant digits; empty for NaN and infinities.
std::string csv_number(double value);

/// A JSON number; null for NaN and infinities, which JSON cannot express.
nlohmann::ordered_json json_number(double value);
/// A text, number, integer or Boolean as its JSON type.
nlohmann::ordered_json json_value(const Value& value);
/// Text from a file as a JSON string, with control characters and invalid UTF-8 replaced by '?'.
nlohmann::ordered_json json_text(std::string_view text);

/// Escapes text from a file for an HTML or XML element or a quoted attribute. Control characters
/// and invalid UTF-8 become '?'.
std::string html_text(std::string_view text);
/// Escapes text from a file so that Markdown and HTML show it literally. It cannot mention a user
/// (@name) or link an issue (#1). Control characters and invalid UTF-8 become '?'.
std::string markdown_text(std::string_view text);

/// From this number of needed runs on, only a lower limit is shown: nobody makes that many runs.
constexpr int kTooManyRuns = 1000;
/// A number of needed runs: "37", or ">=1000" from kTooManyRuns on.
std::string needed_runs_cell(int runs);

/// Pads text with blanks to `width` columns; longer text stays whole.
std::string left_aligned(std::string_view text, std::size_t width);
std::string right_aligned(std::string_view text, std::size_t width);

}  // namespace scalemark::text
