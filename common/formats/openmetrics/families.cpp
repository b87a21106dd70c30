// SPDX-License-Identifier: Apache-2.0
// Writes families of gauges.
#include "common/formats/openmetrics/families.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"

namespace scalemark::formats {
namespace {

std::string escaped_label(std::string_view text) {
  std::string clean;
  for (const char c : text::printable(text)) {
    if (c == '\\' || c == '"') clean += '\\';
    clean += c;
  }
  return clean;
}

}  // namespace

std::string openmetrics_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += is_kept ? c : '_';
  }
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "_" + name : name;
}

std::string MetricFamilies::in_braces(const MetricLabels& labels) {
  std::vector<std::string> words;
  for (const auto& [name, value] : labels)
    words.push_back(fmt::format("{}=\"{}\"", name, escaped_label(value)));
  return words.empty() ? std::string() : fmt::format("{{{}}}", text::join(words, ","));
}

void MetricFamilies::declare(const std::string& name, const std::string& unit,
                             const std::string& help) {
  families_[name].unit = unit;
  families_[name].help = help;
}

bool MetricFamilies::add(const std::string& name, const std::string& unit, const std::string& help,
                         const MetricLabels& labels, double value) {
  if (!std::isfinite(value)) return true;
  const std::string words = in_braces(labels);
  declare(name, unit, help);
  Family& family = families_[name];
  if (!family.labels.insert(words).second) return false;
  family.lines.push_back(fmt::format("{}{} {:.12g}", name, words, value));
  return true;
}

void MetricFamilies::print(std::ostream& out) const {
  for (const auto& [name, family] : families_) {
    fmt::print(out, "# TYPE {} gauge\n", name);
    if (!family.unit.empty()) fmt::print(out, "# UNIT {} {}\n", name, family.unit);
    fmt::print(out, "# HELP {} {}.\n", name, escaped_label(family.help));
    for (const std::string& line : family.lines) fmt::print(out, "{}\n", line);
  }
  fmt::print(out, "# EOF\n");
}

}  // namespace scalemark::formats
