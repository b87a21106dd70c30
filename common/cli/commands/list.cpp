// SPDX-License-Identifier: Apache-2.0
// `scalemark list`: prints benchmarks with their axes, and presets.
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/key_filter.hpp"
#include "common/cli/terminal.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/filter.hpp"
#include "common/core/plan.hpp"
#include "common/core/preset.hpp"
#include "common/text/fit.hpp"

namespace scalemark::cli {
namespace {

struct ListOptions {
  std::vector<std::string> filters;
  bool verbose = false, json = false, presets = false;
};

std::vector<std::string> texts(const std::vector<Value>& values) {
  std::vector<std::string> result;
  for (const Value& value : values) result.push_back(to_text(value));
  return result;
}

bool has_range(const Axis& axis) {
  return axis.type == Axis::Type::integer || axis.type == Axis::Type::number;
}

/// The allowed values of an axis as text: a list or a range.
std::string allowed(const Axis& axis) {
  if (!has_range(axis)) return text::join(texts(axis.allowed), ", ");
  const bool bounded = axis.maximum != std::numeric_limits<std::int64_t>::max();
  return bounded ? fmt::format("{} to {}", axis.minimum, axis.maximum)
                 : fmt::format("{} or more", axis.minimum);
}

nlohmann::json to_json(const Value& value) {
  return std::visit([](const auto& held) { return nlohmann::json(held); }, value);
}

/// What a benchmark needs beyond its axes: "LibTorch", "2 ranks".
std::vector<std::string> needs_of(const Benchmark& benchmark) {
  std::vector<std::string> needs = benchmark.needs();
  if (benchmark.default_ranks() > 1)
    needs.push_back(fmt::format("{} ranks", benchmark.default_ranks()));
  return needs;
}

nlohmann::json describe(const Benchmark& benchmark) {
  nlohmann::json axes = nlohmann::json::array();
  for (const Axis& axis : benchmark.axes()) {
    nlohmann::json defaults = nlohmann::json::array();
    for (const Value& value : axis.defaults(PlanContext{})) defaults.push_back(to_json(value));
    nlohmann::json values = nlohmann::json::array();
    for (const Value& value : axis.allowed) values.push_back(to_json(value));
    if (has_range(axis)) values.push_back(allowed(axis));
    axes.push_back({{"name", axis.name},
                    {"values", values},
                    {"default", defaults},
                    {"doc", axis.doc},
                    {"unit", axis.unit}});
    if (axis.implied) axes.back()["implied"] = to_json(*axis.implied);
  }
  nlohmann::json row = {{"name", benchmark.name()},
                        {"doc", benchmark.doc()},
                        {"axes", axes},
                        {"needs", needs_of(benchmark)}};
  if (!benchmark.why_unavailable().empty()) row["unavailable"] = benchmark.why_unavailable();
  return row;
}

/// "[By] ": the unit printed before the allowed values. Empty for words and plain numbers.
std::string unit_of(const Axis& axis) {
  if (axis.unit.empty() || axis.unit == "1") return {};
  std::string unit = axis.unit;
  std::erase_if(unit, [](char c) { return c == '{' || c == '}'; });
  return fmt::format("[{}] ", unit);
}

std::string lines_of(const Benchmark& benchmark, std::size_t width, bool verbose) {
  const std::string state =
      benchmark.why_unavailable().empty() ? "" : " [" + benchmark.why_unavailable() + "]";
  std::string lines =
      fmt::format("{:<{}}  {}{}\n", benchmark.name(), width, benchmark.doc(), state);
  if (!verbose) return lines;
  for (const Axis& axis : benchmark.axes()) {
    const std::vector<std::string> defaults = texts(axis.defaults(PlanContext{}));
    lines += fmt::format("    {:<12} {}\n", axis.name, axis.doc);
    lines += fmt::format("    {:<12} {}{}; default {}\n", "", unit_of(axis), allowed(axis),
                         text::join(defaults, ","));
  }
  if (const std::vector<std::string> needs = needs_of(benchmark); !needs.empty())
    lines += fmt::format("    {:<12} {}\n", "needs", text::join(needs, ", "));
  return lines;
}

/// The built-in presets that match a filter; all of them without filters.
std::vector<Preset> matching_presets(const Registry& registry,
                                     const std::vector<std::string>& filters) {
  std::vector<Preset> found;
  const std::vector<std::string> names = preset_names(registry);
  std::vector<Filter> expressions;
  for (const std::string& filter : filters) expressions.emplace_back("FILTER", filter);
  for (const std::string& name : names) {
    const auto finds = [&name](const Filter& expression) { return expression.finds(name); };
    if (filters.empty() || std::ranges::any_of(expressions, finds))
      found.push_back(load_preset(registry, name));
  }
  if (!found.empty()) return found;
  throw UsageError(fmt::format("FILTER is \"{}\", which is in no preset's name; allowed: {}",
                               text::printable(text::join(filters, " "), 200),
                               text::join(names, ", ")));
}

std::string lines_of(const Preset& preset) {
  std::string lines = fmt::format("{}\n    {}\n", preset.name, preset.doc);
  if (!preset.repeats.empty())
    lines += fmt::format("    repeats: {} ({})\n", preset.repeats, preset.experiment);
  return lines;
}

nlohmann::json describe(const Preset& preset) {
  std::set<std::string> benchmarks;
  for (const PresetEntry& entry : preset.entries) benchmarks.insert(entry.benchmark);
  return {{"name", preset.name},
          {"doc", preset.doc},
          {"repeats", preset.repeats},
          {"experiment", preset.experiment},
          {"benchmarks", benchmarks}};
}

int list_presets(const ListOptions& options) {
  nlohmann::json rows = nlohmann::json::array();
  std::string lines;
  for (const Preset& preset : matching_presets(Registry::instance(), options.filters)) {
    rows.push_back(describe(preset));
    lines += lines_of(preset);
  }
  fmt::print("{}", options.json ? rows.dump(2) + "\n" : text::wrapped(lines, table_width()));
  return static_cast<int>(ExitCode::ok);
}

int list(const ListOptions& options) {
  if (options.presets) return list_presets(options);
  const Registry& registry = Registry::instance();
  const std::vector<const Benchmark*> chosen = matching(registry, options.filters);
  if (options.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Benchmark* benchmark : chosen) rows.push_back(describe(*benchmark));
    fmt::print("{}\n", rows.dump(2));
    return static_cast<int>(ExitCode::ok);
  }
  std::size_t width = 0;
  for (const Benchmark* benchmark : chosen) width = std::max(width, benchmark->name().size());
  std::string lines;
  for (const Benchmark* benchmark : chosen) lines += lines_of(*benchmark, width, options.verbose);
  lines += fmt::format("\npresets: {}\nlist --presets shows what each of them measures.\n",
                       text::join(preset_names(registry), ", "));
  fmt::print("{}", text::wrapped(lines, table_width()));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command =
      app.add_subcommand("list", "Show the benchmarks, their axes and what they need");
  command->add_option("FILTER", options->filters,
                      "Regular expressions searched in suite/name; default: all");
  command->add_flag(
      "-v,--verbose", options->verbose,
      "Show what each needs, and every axis: what it means, its unit, values, and the "
      "default on one rank without a GPU");
  command->add_flag("--presets", options->presets,
                    "Show the presets instead: what each measures, and which table or figure of "
                    "the studies it repeats; FILTER is searched in their names");
  command->add_flag("--json", options->json, "Print as JSON");
  command->callback([options, &exit_code] { exit_code = list(*options); });
}

}  // namespace scalemark::cli
