// SPDX-License-Identifier: Apache-2.0
// Reading presets from TOML.
#include "common/core/preset.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/core/policy_rules.hpp"
#include "common/core/toml.hpp"
#include "common/result/value.hpp"

namespace scalemark {
namespace {

constexpr std::uintmax_t kMaxPresetBytes = 1 << 20;
/// Bytes of axis values, those of a block counted once for each of its names.
constexpr std::size_t kMaxAxisBytes = std::size_t{16} << 20;

/// One axis value as on the command line: an array is joined by commas.
std::string axis_text(const std::string& origin, const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto number = node.value_exact<double>()) {
    if (!std::isfinite(*number))
      fail_at(origin, node, fmt::format("an axis value is {}; allowed: a finite number", *number));
    return to_text(*number);
  }
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (const toml::array* array = node.as_array()) {
    std::vector<std::string> parts;
    for (const toml::node& element : *array) parts.push_back(axis_text(origin, element));
    return text::join(parts, ",");
  }
  fail_at(origin, node, "an axis value is a text, a number, a boolean or an array of these");
}

/// A number as a rule reads it from the command line; what is none stays a text that no rule takes.
std::string number_text(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  return "no number";
}

double number_of(const std::string& origin, std::string_view key, const NumberRule& rule,
                 const toml::node& node) {
  const std::string given = number_text(node);
  if (const std::optional<double> number = rule.read(given)) return *number;
  fail_at(origin, node, fmt::format("{} {}", std::string(key), rule.refusal(given)));
}

std::vector<std::string> policy_keys() {
  std::vector<std::string> keys = {"verify"};
  for (const PolicyRule& one : policy_rules()) keys.emplace_back(one.key);
  return keys;
}

/// `change` with what the table sets.
PolicyChange parse_policy(const std::string& origin, const toml::node& node,
                          PolicyChange change = {}) {
  const toml::table* table = node.as_table();
  if (!table) fail_at(origin, node, "policy is a table");
  for (const auto& [key, value] : *table) {
    const std::string_view name = key.str();
    const PolicyRule* known = find_policy_rule(name);
    if (name == "verify") {
      if (!value.is_boolean()) fail_at(origin, value, "verify is true or false");
      change.verify = value.value<bool>();
    } else if (known != nullptr) {
      const double number = number_of(origin, name, known->rule, value);
      std::visit(
          [&](auto field) {
            using Number = typename std::decay_t<decltype(change.*field)>::value_type;
            change.*field = static_cast<Number>(number);
          },
          known->field);
    } else {
      fail_unknown_key(origin, value, name, policy_keys());
    }
  }
  return change;
}

/// One name, or a list of names that all else in the block holds for.
std::vector<std::string> parse_names(const std::string& origin, const toml::node& node) {
  if (const auto name = node.value_exact<std::string>()) return {*name};
  std::vector<std::string> names;
  if (const toml::array* array = node.as_array()) {
    for (const toml::node& element : *array)
      names.push_back(element.value_exact<std::string>().value_or(""));
  }
  if (names.empty() || std::ranges::find(names, "") != names.end())
    fail_at(origin, node, "name is the name of a benchmark or a list of names");
  return names;
}

std::size_t bytes_of(const std::map<std::string, std::string>& axes) {
  std::size_t bytes = 0;
  for (const auto& [axis, values] : axes) bytes += axis.size() + values.size();
  return bytes;
}

/// A block: an entry for each of the benchmarks that it names. `axis_bytes`: of all blocks up to
/// this one.
std::vector<PresetEntry> parse_block(const std::string& origin, const toml::node& node,
                                     std::size_t& axis_bytes) {
  const toml::table* table = node.as_table();
  if (!table) fail_at(origin, node, "each [[benchmark]] is a table");
  PresetEntry entry;
  std::vector<std::string> names;
  for (const auto& [key, value] : *table) {
    const std::string_view name = key.str();
    if (name == "name") {
      names = parse_names(origin, value);
    } else if (name == "axes") {
      if (!value.is_table()) fail_at(origin, value, "axes is a table");
      for (const auto& [axis, values] : *value.as_table())
        entry.axes[std::string(axis.str())] = axis_text(origin, values);
    } else if (name == "policy") {
      entry.policy = parse_policy(origin, value);
    } else {
      fail_unknown_key(origin, value, name, {"name", "axes", "policy"});
    }
  }
  if (names.empty() || names.front().empty()) fail_at(origin, node, "a [[benchmark]] has no name");
  axis_bytes += names.size() * bytes_of(entry.axes);
  if (axis_bytes > kMaxAxisBytes)
    fail_at(origin, node, "the names of the blocks times their axis values are more than 16 MiB");
  std::vector<PresetEntry> entries;
  for (const std::string& name : names) {
    entries.push_back(entry);
    entries.back().benchmark = name;
  }
  return entries;
}

/// The blocks of a benchmark come together where the first of them stands.
void bring_together(std::vector<PresetEntry>& entries) {
  std::map<std::string, std::size_t> place;
  for (const PresetEntry& entry : entries) place.emplace(entry.benchmark, place.size());
  std::ranges::stable_sort(entries, {},
                           [&](const PresetEntry& entry) { return place.at(entry.benchmark); });
}

std::vector<PresetEntry> parse_blocks(const std::string& origin, const toml::node& node) {
  const toml::array* blocks = node.as_array();
  if (!blocks)
    fail_at(origin, node, "benchmark is a list of tables, each with the header [[benchmark]]");
  std::vector<PresetEntry> entries;
  bool lists_names = false;
  std::size_t axis_bytes = 0;
  for (const toml::node& one : *blocks) {
    const std::vector<PresetEntry> block = parse_block(origin, one, axis_bytes);
    lists_names = lists_names || block.size() > 1;
    entries.insert(entries.end(), block.begin(), block.end());
  }
  if (lists_names) bring_together(entries);
  return entries;
}

constexpr std::string_view kCpuPart = "cpu";

/// The texts of a preset, by their keys.
constexpr std::pair<std::string_view, std::string Preset::*> kTexts[] = {
    {"doc", &Preset::doc},
    {"repeats", &Preset::repeats},
    {"experiment", &Preset::experiment},
    {"format", &Preset::format}};

/// Sets what the table of a preset, or of its [cpu] part, names. The [cpu] part itself is the
/// caller's.
void read_keys(const std::string& origin, const toml::table& table, Preset& preset) {
  for (const auto& [key, value] : table) {
    const std::string_view name = key.str();
    const auto* text = std::ranges::find(kTexts, name, [](const auto& one) { return one.first; });
    if (text != std::end(kTexts)) {
      if (!value.is_string()) fail_at(origin, value, fmt::format("{} is a text", text->first));
      preset.*(text->second) = *value.value_exact<std::string>();
    } else if (name == "policy") {
      preset.policy = parse_policy(origin, value, preset.policy);
    } else if (name == "benchmark") {
      preset.entries = parse_blocks(origin, value);
    } else if (name != kCpuPart) {
      std::vector<std::string> known = {"policy", "benchmark", std::string(kCpuPart)};
      for (const auto& one : kTexts) known.emplace_back(one.first);
      fail_unknown_key(origin, value, name, known);
    }
  }
}

/// "mine-cpu" of "mine", "mine-cpu.toml" of "mine.toml".
std::string cpu_name(const std::string& name) {
  const std::size_t stem = name.size() - (name.ends_with(".toml") ? 5 : 0);
  return name.substr(0, stem) + "-cpu" + name.substr(stem);
}

/// The inverse of cpu_name. Nothing for another name.
std::optional<std::string> without_cpu(const std::string& name) {
  const std::size_t stem = name.size() - (name.ends_with(".toml") ? 5 : 0);
  if (!name.substr(0, stem).ends_with("-cpu")) return std::nullopt;
  return name.substr(0, stem - 4) + name.substr(stem);
}

/// The preset with what its [cpu] part says otherwise.
Preset parse_cpu_part(const std::string& origin, const toml::node& node, Preset preset) {
  const toml::table* table = node.as_table();
  if (!table) fail_at(origin, node, "cpu is a table with the header [cpu]");
  if (const toml::node* inner = table->get(kCpuPart))
    fail_at(origin, *inner, "a [cpu] part cannot contain another [cpu] part");
  preset.name = cpu_name(preset.name);
  read_keys(origin, *table, preset);
  if (preset.entries.empty()) fail_at(origin, node, "[cpu] lists no benchmark");
  return preset;
}

std::string read_text(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error)
    throw UsageError(fmt::format("--preset {}: {}", text::printable(path), error.message()));
  if (bytes > kMaxPresetBytes)
    throw UsageError(fmt::format("--preset {}: larger than 1 MiB", text::printable(path)));
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw UsageError(fmt::format("--preset {}: cannot be read", text::printable(path)));
  return text.str();
}

/// A file, or the [cpu] part of the file `base` where there is none of that name.
Preset load_file(const std::string& path, const std::optional<std::string>& base) {
  std::error_code ignored;
  if (!base || std::filesystem::exists(path, ignored) || !std::filesystem::exists(*base, ignored))
    return parse_preset(read_text(path), text::printable(path)).preset;
  const std::optional<Preset> cpu = parse_preset(read_text(*base), text::printable(*base)).cpu;
  if (cpu) return *cpu;
  throw UsageError(fmt::format("--preset {}: no such file, and {} has no [cpu] part",
                               text::printable(path), text::printable(*base)));
}

}  // namespace

PresetFile parse_preset(const std::string& toml_text, const std::string& origin) {
  const toml::table root = parse_toml(toml_text, origin);
  PresetFile file;
  file.preset.name = origin;
  read_keys(origin, root, file.preset);
  if (file.preset.entries.empty())
    throw UsageError(fmt::format("{}: no [[benchmark]] in it", origin));
  if (const toml::node* cpu = root.get(kCpuPart))
    file.cpu = parse_cpu_part(origin, *cpu, file.preset);
  return file;
}

std::vector<std::string> preset_names(const Registry& registry) {
  std::vector<std::string> names;
  for (const auto& [name, toml] : registry.presets()) {
    names.push_back(name);
    if (parse_preset(toml, name).cpu) names.push_back(cpu_name(name));
  }
  std::ranges::sort(names);
  return names;
}

Preset load_preset(const Registry& registry, const std::string& name_or_file) {
  const std::optional<std::string> base = without_cpu(name_or_file);
  if (name_or_file.find('/') != std::string::npos || name_or_file.ends_with(".toml")) {
    return load_file(name_or_file, base);
  }
  const auto& presets = registry.presets();
  if (const auto found = presets.find(name_or_file); found != presets.end())
    return parse_preset(found->second, found->first).preset;
  if (const auto found = base ? presets.find(*base) : presets.end(); found != presets.end()) {
    if (const std::optional<Preset> cpu = parse_preset(found->second, found->first).cpu)
      return *cpu;
  }
  throw UsageError(fmt::format("--preset: unknown preset '{}'{}; a file ends in .toml",
                               text::printable(name_or_file, 80),
                               text::did_you_mean(name_or_file, preset_names(registry))));
}

}  // namespace scalemark
