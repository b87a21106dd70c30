// SPDX-License-Identifier: Apache-2.0
// Parts of case keys.
#include "common/base/key.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark {
namespace {

constexpr std::string_view kArrow = "->";

[[noreturn]] void refuse(std::string_view text) {
  throw UsageError(
      fmt::format("--map is \"{}\"; allowed: AXIS=VALUE->VALUE, AXIS=*, AXIS=drop, as ranks=8->16",
                  text::printable(text, 120)));
}

/// The words that name one of the axes, or all others.
std::string words_where(std::string_view key, const std::vector<std::string_view>& axes,
                        bool are_named) {
  std::string kept;
  for (const std::string& word : text::split(key, ' ')) {
    const std::string_view axis = std::string_view(word).substr(0, word.find('='));
    const bool is_named =
        axis.size() < word.size() && std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (is_named == are_named) kept += (kept.empty() ? "" : " ") + word;
  }
  return kept;
}

/// Whether a part of a key belongs to the axis of `map`: "axis=...".
bool is_of_axis(std::string_view part, const AxisMap& map) {
  return part.size() > map.axis.size() && part.starts_with(map.axis) &&
         part[map.axis.size()] == '=';
}

/// The part in the form used for matching; empty if its axis is dropped.
std::string mapped_part(const std::string& part, const std::vector<AxisMap>& maps, bool of_b) {
  for (const AxisMap& map : maps) {
    if (!is_of_axis(part, map)) continue;
    if (map.kind == AxisMap::Kind::drop) return {};
    if (map.kind == AxisMap::Kind::any) return map.axis + "=*";
    const std::string value = part.substr(map.axis.size() + 1);
    if (value == (of_b ? map.to : map.from))
      return fmt::format("{}={}{}{}", map.axis, map.from, kArrow, map.to);
  }
  return part;
}

}  // namespace

std::string key_without(std::string_view key, const std::vector<std::string_view>& axes) {
  return words_where(key, axes, false);
}

std::string key_words(std::string_view key, const std::vector<std::string_view>& axes) {
  return words_where(key, axes, true);
}

AxisMap parse_axis_map(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || !text::is_identifier(text.substr(0, equals)))
    refuse(text);
  AxisMap map;
  map.axis = std::string(text.substr(0, equals));
  const std::string_view value = text.substr(equals + 1);
  const std::size_t arrow = value.find(kArrow);
  if (value == "*") return map;
  if (value == "drop") {
    map.kind = AxisMap::Kind::drop;
    return map;
  }
  if (arrow == std::string_view::npos) refuse(text);
  map.kind = AxisMap::Kind::rename;
  map.from = std::string(value.substr(0, arrow));
  map.to = std::string(value.substr(arrow + kArrow.size()));
  if (map.from.empty() || map.to.empty()) refuse(text);
  return map;
}

std::string mapped_key(const std::string& key, const std::vector<AxisMap>& maps, bool of_b) {
  std::vector<std::string> parts;
  for (const std::string& part : text::split(key, ' ')) {
    std::string mapped = mapped_part(part, maps, of_b);
    if (!mapped.empty()) parts.push_back(std::move(mapped));
  }
  return text::join(parts, " ");
}

}  // namespace scalemark
