// SPDX-License-Identifier: Apache-2.0
// Peaks of a file, and what is known without it.
#include "common/core/peaks/peaks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/core/peaks/gpu_sheets.hpp"
#include "common/core/toml.hpp"

namespace scalemark {
namespace {

constexpr std::array<std::string_view, 3> kLinks = {"network", "nvlink", "pcie"};
constexpr std::array<std::string_view, 3> kMemories = {"host", "numa_node", "gpu"};

[[noreturn]] void unknown(const std::string& origin, const toml::node& node, std::string_view key,
                          const std::string& allowed) {
  fail_at(origin, node,
          fmt::format("unknown key '{}'; allowed: {}", text::printable(key, 80), allowed));
}

const toml::table& table_at(const std::string& origin, const toml::node& node,
                            std::string_view key) {
  if (const toml::table* table = node.as_table()) return *table;
  fail_at(origin, node, fmt::format("'{}' is a table", key));
}

std::map<std::string, double, std::less<>> rates(const std::string& origin,
                                                 const toml::table& table,
                                                 std::span<const std::string_view> names,
                                                 std::string_view unit) {
  std::map<std::string, double, std::less<>> found;
  for (const auto& [key, node] : table) {
    if (std::ranges::find(names, key.str()) == names.end())
      unknown(origin, node, key.str(), fmt::format("{}", fmt::join(names, ", ")));
    const auto number = node.is_number() ? node.value<double>() : std::nullopt;
    if (!number || !std::isfinite(*number) || *number <= 0)
      fail_at(origin, node,
              fmt::format("'{}' is {}; allowed: a number of {} above 0", key.str(),
                          number ? fmt::format("{}", *number) : "no number", unit));
    found[std::string(key.str())] = *number;
  }
  return found;
}

}  // namespace

Peaks Peaks::parse(std::string_view toml, const std::string& origin) {
  Peaks peaks;
  const toml::table document = parse_toml(toml, origin);
  for (const auto& [key, node] : document) {
    if (key.str() == "link" || key.str() == "memory") {
      const bool is_link = key.str() == "link";
      (is_link ? peaks.link_ : peaks.memory_) =
          rates(origin, table_at(origin, node, key.str()), is_link ? kLinks : kMemories, "B/s");
      continue;
    }
    if (key.str() != "gpu" && key.str() != "cpu_core")
      unknown(origin, node, key.str(), "gpu, cpu_core, link, memory");
    for (const auto& [kind, values] : table_at(origin, node, key.str())) {
      if (kind.str() != "flops") unknown(origin, values, kind.str(), "flops");
      (key.str() == "gpu" ? peaks.gpu_ : peaks.cpu_core_) =
          rates(origin, table_at(origin, values, kind.str()), kPrecisions, "flop/s");
    }
  }
  return peaks;
}

Peaks Peaks::from_file(const std::string& file) {
  constexpr std::uintmax_t kMaxFile = 64 << 10;
  return parse(read_toml_file("--peak", file, kMaxFile), text::printable(file, 200));
}

std::optional<Peak> Peaks::given(const Rates& rates, const std::string& name) {
  const auto own = rates.find(name);
  return own == rates.end() ? std::nullopt : std::optional(Peak{own->second, "--peak", {}});
}

Peak Peaks::gpu_flops(const std::string& model, const std::string& precision) const {
  const std::optional<Peak> own = given(gpu_, precision);
  return own ? *own : sheet_flops(model, precision);
}

Peak Peaks::cpu_flops(int cores, const std::string& precision, const Peak& core) const {
  Peak peak = given(cpu_core_, precision).value_or(core);
  if (!peak.is_known()) return peak;
  peak.value *= cores;
  peak.source += fmt::format(", {} core{}", cores, cores == 1 ? "" : "s");
  return peak;
}

std::optional<Peak> Peaks::link(const std::string& name) const { return given(link_, name); }

std::optional<Peak> Peaks::memory(const std::string& name) const { return given(memory_, name); }

}  // namespace scalemark
