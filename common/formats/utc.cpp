// SPDX-License-Identifier: Apache-2.0
// Parses ISO 8601 times.
#include "common/formats/utc.hpp"

#include <charconv>
#include <chrono>

namespace scalemark::formats {
namespace {

constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd.dddZ";

bool has_form(std::string_view text) {
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !is_digit : text[i] != kForm[i]) return false;
  }
  return true;
}

int number_at(std::string_view text, std::size_t place, std::size_t digits) {
  int number = 0;
  std::from_chars(text.data() + place, text.data() + place + digits, number);
  return number;
}

}  // namespace

std::optional<std::int64_t> milliseconds_of(std::string_view utc) {
  if (!has_form(utc)) return std::nullopt;
  const std::chrono::year_month_day day{
      std::chrono::year(number_at(utc, 0, 4)),
      std::chrono::month(static_cast<unsigned>(number_at(utc, 5, 2))),
      std::chrono::day(static_cast<unsigned>(number_at(utc, 8, 2)))};
  if (!day.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  const std::int64_t seconds = days * 86400 + number_at(utc, 11, 2) * 3600 +
                               number_at(utc, 14, 2) * 60 + number_at(utc, 17, 2);
  return seconds * 1000 + number_at(utc, 20, 3);
}

}  // namespace scalemark::formats
