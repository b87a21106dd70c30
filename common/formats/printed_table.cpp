// SPDX-License-Identifier: Apache-2.0
// Turns rows of printed tables into cases.
#include "common/formats/printed_table.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/osu/osu_tests.hpp"

namespace scalemark::formats {

std::string snake_case(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 80)) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      name += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "unnamed" : name;
}

std::string type_of_mpi(std::string_view type) {
  for (const OsuType& known : kOsuTypes) {
    if (type == known.osu_name) return known.dtype;
  }
  return snake_case(type);
}

Metric& add_cell(CaseResult& result, const Quantity& quantity, const Cell& cell,
                 const Lines& lines) {
  const auto value = parse_decimal(cell.text);
  if (!value)
    lines.fail(fmt::format("a number in column {}", text::printable(cell.column, 80)), cell.text);
  return add_metric(result, quantity, *value);
}

std::int64_t count_of(const Cell& cell, std::int64_t most, const Lines& lines) {
  const auto count = parse_count(cell.text, most);
  if (!count)
    lines.fail(
        fmt::format("an integer from 0 to {} in column {}", most, text::printable(cell.column, 80)),
        cell.text);
  return *count;
}

void take_foreign_line(std::string_view line, const Lines& lines, Run& run,
                       const ImportTaker& taker) {
  const std::string said = text::printable(line, 120);
  taker.note(fmt::format("{}: no part of a table, left out: \"{}\"", lines.place(), said));
  const std::string lower = snake_case(line);
  if (lower.find("error") == std::string::npos && lower.find("abort") == std::string::npos) return;
  run.complete = false;
  if (run.exit_reason.empty()) run.exit_reason = said;
}

void set_key(CaseResult& result) {
  result.key = make_key(result.name, result.params);
  result.config_hash = hash_text(result.key);
}

void set_verification(CaseResult& result, bool correct, const char* rule) {
  result.verification.done = true;
  result.verification.checked = 1;
  result.verification.wrong = correct ? 0 : 1;
  result.verification.rule = rule;
  if (correct) return;
  result.status = Status::failed;
  result.reason = fmt::format("{}: it found wrong data", rule);
}

}  // namespace scalemark::formats
