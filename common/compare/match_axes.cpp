// SPDX-License-Identifier: Apache-2.0
// Applies --map to the keys of runs.
#include "common/compare/match_axes.hpp"

#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::compare {
namespace {

/// All values of each axis in the keys of a side.
std::map<std::string, std::set<std::string>> axes_of(const std::vector<RunDigest>& side) {
  std::map<std::string, std::set<std::string>> axes;
  for (const RunDigest& run : side) {
    for (const std::string& key : run.keys) {
      for (const std::string& part : text::split(key, ' ')) {
        const std::size_t equals = part.find('=');
        if (equals != std::string::npos)
          axes[part.substr(0, equals)].insert(part.substr(equals + 1));
      }
    }
  }
  return axes;
}

void check_value(const AxisMap& map, const std::set<std::string>& values, bool of_b) {
  const std::string& wanted = of_b ? map.to : map.from;
  if (values.contains(wanted)) return;
  const std::vector<std::string> all(values.begin(), values.end());
  throw UsageError(fmt::format("--map is \"{}={}{}{}\"; no case of {} has {}={}{}", map.axis,
                               map.from, "->", map.to, of_b ? "B" : "A", map.axis, wanted,
                               text::printable(text::did_you_mean(wanted, all), 400)));
}

}  // namespace

void check_axis_maps(const std::vector<AxisMap>& maps, const std::vector<RunDigest>& a,
                     const std::vector<RunDigest>& b) {
  if (maps.empty()) return;
  auto of_a = axes_of(a), of_b = axes_of(b);
  for (const AxisMap& map : maps) {
    if (!of_a.contains(map.axis) && !of_b.contains(map.axis)) {
      std::set<std::string> known;
      for (const auto& [axis, values] : of_a) known.insert(axis);
      for (const auto& [axis, values] : of_b) known.insert(axis);
      throw UsageError(fmt::format(
          "--map names axis \"{}\", which no case has{}", map.axis,
          text::printable(
              text::did_you_mean(map.axis, std::vector<std::string>(known.begin(), known.end())),
              400)));
    }
    if (map.kind != AxisMap::Kind::rename) continue;
    check_value(map, of_a[map.axis], false);
    check_value(map, of_b[map.axis], true);
  }
}

void map_side(std::vector<RunDigest>& side, const std::vector<AxisMap>& maps, bool of_b) {
  if (maps.empty()) return;
  for (RunDigest& run : side) {
    std::map<std::string, RowDigest> rows;
    std::map<std::string, std::string> from;
    for (std::string& key : run.keys) {
      std::string mapped = mapped_key(key, maps, of_b);
      const auto [first, fresh] = from.emplace(mapped, key);
      if (!fresh) {
        throw UsageError(
            fmt::format("--map makes two cases of {} identical: \"{}\" and \"{}\"; map the axes in "
                        "which they differ",
                        run.label, first->second, key));
      }
      rows.emplace(mapped, std::move(run.rows.at(key)));
      key = std::move(mapped);
    }
    run.rows = std::move(rows);
  }
}

}  // namespace scalemark::compare
