// SPDX-License-Identifier: Apache-2.0
// `scalemark list`: benchmarks with their axes.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/plan.hpp"

namespace scalemark::cli {
namespace {

struct ListOptions {
  std::vector<std::string> filters;
  bool verbose = false, json = false;
};

std::vector<std::string> texts(const std::vector<Value>& values) {
  std::vector<std::string> result;
  for (const Value& value : values) result.push_back(to_text(value));
  return result;
}

bool has_range(const Axis& axis) {
  return axis.type == Axis::Type::integer || axis.type == Axis::Type::number;
}

/// What an axis may be, as text: its values, or its range.
std::string allowed(const Axis& axis) {
  if (!has_range(axis)) return text::join(texts(axis.allowed), ", ");
  const bool bounded = axis.maximum != std::numeric_limits<std::int64_t>::max();
  return bounded ? fmt::format("{} to {}", axis.minimum, axis.maximum)
                 : fmt::format("{} or more", axis.minimum);
}

nlohmann::json to_json(const Value& value) {
  return std::visit([](const auto& held) { return nlohmann::json(held); }, value);
}

nlohmann::json describe(const Benchmark& benchmark) {
  nlohmann::json axes = nlohmann::json::array();
  for (const Axis& axis : benchmark.axes()) {
    nlohmann::json defaults = nlohmann::json::array();
    for (const Value& value : axis.defaults(PlanContext{})) defaults.push_back(to_json(value));
    nlohmann::json values = nlohmann::json::array();
    for (const Value& value : axis.allowed) values.push_back(to_json(value));
    if (has_range(axis)) values.push_back(allowed(axis));
    axes.push_back({{"name", axis.name}, {"values", values}, {"default", defaults}});
  }
  nlohmann::json needs = benchmark.needs();
  if (benchmark.usual_ranks() > 1)
    needs.push_back(fmt::format("{} ranks", benchmark.usual_ranks()));
  nlohmann::json row = {
      {"name", benchmark.name()}, {"doc", benchmark.doc()}, {"axes", axes}, {"needs", needs}};
  if (!benchmark.why_unavailable().empty()) row["unavailable"] = benchmark.why_unavailable();
  return row;
}

void print(const Benchmark& benchmark, std::size_t width, bool verbose) {
  const std::string state =
      benchmark.why_unavailable().empty() ? "" : " [" + benchmark.why_unavailable() + "]";
  fmt::print("{:<{}}  {}{}\n", benchmark.name(), width, benchmark.doc(), state);
  if (!verbose) return;
  for (const Axis& axis : benchmark.axes()) {
    const std::vector<std::string> defaults = texts(axis.defaults(PlanContext{}));
    fmt::print("    {:<12} {}; default here {}\n", axis.name, allowed(axis),
               text::join(defaults, ","));
  }
}

int list(const ListOptions& options) {
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
  for (const Benchmark* benchmark : chosen) print(*benchmark, width, options.verbose);
  std::vector<std::string> presets;
  for (const auto& [name, toml] : registry.presets()) presets.push_back(name);
  fmt::print("\npresets: {}\n", text::join(presets, ", "));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command =
      app.add_subcommand("list", "Show the benchmarks, their axes and what they need");
  command->add_option("FILTER", options->filters,
                      "Regular expressions searched in suite/name; default: all");
  command->add_flag("-v,--verbose", options->verbose,
                    "Show every axis with its values and defaults");
  command->add_flag("--json", options->json, "Print as JSON");
  command->callback([options, &exit_code] { exit_code = list(*options); });
}

}  // namespace scalemark::cli
