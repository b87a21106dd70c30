// SPDX-License-Identifier: Apache-2.0
// Formats and escapes cells for CSV, JSON, HTML, Markdown and aligned text.
#include "common/text/cells.hpp"

#include <cmath>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/text/table.hpp"

namespace scalemark::text {

std::string csv_cell(std::string_view text) {
  std::string clean = text::printable(text);
  if (!clean.empty() && std::string_view("=+-@").find(clean[0]) != std::string_view::npos) {
    clean.insert(clean.begin(), '\'');
  }
  if (clean.find_first_of(",\"") == std::string::npos) return clean;
  std::string quoted = "\"";
  for (const char c : clean) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.12g}", value) : std::string();
}

nlohmann::ordered_json json_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}

nlohmann::ordered_json json_value(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return json_text(*text);
  if (const auto* number = std::get_if<double>(&value)) return json_number(*number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  return std::get<bool>(value);
}

nlohmann::ordered_json json_text(std::string_view text) { return text::printable(text); }

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : text::printable(text)) {
    if (std::string_view("<>&\"'").find(c) != std::string_view::npos) {
      escaped += fmt::format("&#{};", static_cast<int>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kBackslashed = "\\`*_[]|~";
  constexpr std::string_view kNumbered = "<>&@#";
  std::string escaped;
  for (const char c : text::printable(text)) {
    if (kNumbered.find(c) != std::string_view::npos) {
      escaped += fmt::format("&#{};", static_cast<int>(c));
    } else {
      if (kBackslashed.find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string needed_runs_cell(int runs) {
  return runs >= kTooManyRuns ? fmt::format(">={}", kTooManyRuns) : std::to_string(runs);
}

std::string left_aligned(std::string_view text, std::size_t width) {
  std::string cell(text);
  if (const std::size_t wide = columns_of(text); wide < width) cell.append(width - wide, ' ');
  return cell;
}

std::string right_aligned(std::string_view text, std::size_t width) {
  std::string cell(text);
  if (const std::size_t wide = columns_of(text); wide < width) cell.insert(0, width - wide, ' ');
  return cell;
}

}  // namespace scalemark::text
