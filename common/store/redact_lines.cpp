// SPDX-License-Identifier: Apache-2.0
// Redaction of texts that tools print: lines with a label and a value, and XML.
#include <algorithm>
#include <cctype>
#include <string_view>

#include "common/store/redact.hpp"

namespace scalemark::store {
namespace {

/// A line that a tool printed, such as "Serial Number : 1650": kind of its label, and start and end
/// of its value.
struct LabelledValue {
  FieldKind kind = FieldKind::text;
  std::size_t begin = 0, end = 0;
};

LabelledValue labelled_value(std::string_view line) {
  const std::size_t sign = line.find_first_of(":=");
  if (sign == std::string_view::npos) return {};
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  std::size_t first = 0, last = sign;
  while (first < last && is_space(line[first])) ++first;
  while (last > first && is_space(line[last - 1])) --last;
  LabelledValue value{.begin = sign + 1, .end = line.size()};
  value.kind = field_kind(FieldGroup::label, line.substr(first, last - first)).value_or(value.kind);
  while (value.begin < value.end && is_space(line[value.begin])) ++value.begin;
  while (value.end > value.begin && is_space(line[value.end - 1])) --value.end;
  return value;
}

bool is_markup(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '<';
}

/// The kind of the value in a line such as <info name="DMIBoardSerial" value="...">. Others are
/// versions, paths and PCI addresses.
FieldKind kind_of_info(std::string_view line) {
  constexpr std::string_view kBegin = "<info name=\"";
  const std::size_t at = line.find(kBegin);
  if (at == std::string_view::npos) return FieldKind::versions;
  const std::string_view name = line.substr(at + kBegin.size());
  return field_kind(FieldGroup::label, name.substr(0, name.find('"')))
      .value_or(FieldKind::versions);
}

}  // namespace

/// Redacts a line of XML: only the texts in quotes change.
std::string Redactor::clean_markup(const std::string& line) const {
  const FieldKind kind = kind_of_info(line);
  constexpr std::string_view kValue = " value";
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = line.find("=\""); open != std::string::npos;
       open = line.find("=\"", at)) {
    const std::size_t begin = open + 2, end = line.find('"', begin);
    if (end == std::string::npos) break;
    const bool is_value = std::string_view(line).substr(0, open).ends_with(kValue);
    const std::string text = line.substr(begin, end - begin);
    result +=
        line.substr(at, begin - at) + clean_field(is_value ? kind : FieldKind::versions, text);
    at = end;
  }
  return result + line.substr(at);
}

/// Redacts text that tools print. In a line whose label announces a name, only the value changes.
std::string Redactor::clean_lines(const std::string& text) const {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const LabelledValue value = labelled_value(line);
    if (is_markup(line)) {
      result += clean_markup(line);
    } else if (is_name(value.kind)) {
      result += line.substr(0, value.begin) +
                clean_field(value.kind, line.substr(value.begin, value.end - value.begin)) +
                line.substr(value.end);
    } else {
      result += clean(line);
    }
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

}  // namespace scalemark::store
