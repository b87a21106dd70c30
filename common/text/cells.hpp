// SPDX-License-Identifier: Apache-2.0
// Values as cells of CSV, JSON, HTML, Markdown and aligned text: each format has its one way for
// texts that come from a file, which all printers take.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/result/value.hpp"

namespace scalemark::text {

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

/// Text from a file inside an HTML or XML element or a quoted attribute, cleaned.
std::string html_text(std::string_view text);
/// Text from a file that Markdown and HTML leave alone, and that mentions nobody and nothing
/// (@name, #1); cleaned.
std::string markdown_text(std::string_view text);

/// From so many on nobody makes the runs: they are no way to an answer.
constexpr int kTooManyRuns = 1000;
/// A number of runs that are needed: ">=1000" from kTooManyRuns on.
std::string needed_runs_cell(int runs);

/// Text filled up with blanks to `width` on its right or left.
std::string left_aligned(std::string_view text, std::size_t width);
std::string right_aligned(std::string_view text, std::size_t width);

}  // namespace scalemark::text
