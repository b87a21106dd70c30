// SPDX-License-Identifier: Apache-2.0
// Parses hwloc's XML: counts objects and reads the attributes type and cache_size.
#include "common/formats/mlperf/machine_parts.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/formats/quantity.hpp"

namespace scalemark::formats {
namespace {

std::string_view attribute(std::string_view tag, std::string_view start) {
  const std::size_t at = tag.find(start);
  if (at == std::string_view::npos) return {};
  const std::string_view value = tag.substr(at + start.size());
  return value.substr(0, value.find('"'));
}

}  // namespace

MachineParts machine_parts(std::string_view xml) {
  constexpr std::string_view kObject = "<object ";
  MachineParts parts;
  std::map<std::string, std::map<std::int64_t, std::size_t>> caches;  // L1 -> size -> how many
  for (std::size_t at = xml.find(kObject); at != std::string_view::npos;
       at = xml.find(kObject, at + 1)) {
    const std::string_view tag = xml.substr(at, xml.find('>', at) - at);
    const std::string_view type = attribute(tag, " type=\"");
    if (type == "Package") ++parts.packages;
    if (type == "Core") ++parts.cores;
    const auto size =
        parse_count(attribute(tag, " cache_size=\""), std::numeric_limits<std::int64_t>::max());
    const bool is_data = type.size() == 7 && type[0] == 'L' && type.ends_with("Cache");
    if (is_data && size) ++caches[std::string(type.substr(0, 2))][*size];
  }
  std::vector<std::string> texts;
  for (const auto& [level, sizes] : caches) {
    for (const auto& [size, count] : sizes)
      texts.push_back(
          fmt::format("{}: {} x {}", level, count, units::bytes(static_cast<std::uint64_t>(size))));
  }
  parts.caches = text::join(texts, ", ");
  return parts;
}

}  // namespace scalemark::formats
