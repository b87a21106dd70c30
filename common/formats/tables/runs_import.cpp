// SPDX-License-Identifier: Apache-2.0
// Imports JSON Lines of runs, one run per line: {"run", "side", "cases": {key: {"metric", "unit",
// "scale", "samples", "direction"}}, "digest"}.
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/ucum.hpp"
#include "common/formats/case_key.hpp"
#include "common/formats/importers.hpp"
#include "common/formats/input.hpp"
#include "common/formats/json_fields.hpp"
#include "common/formats/tables/runs_digest.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::json;

/// Unsigned integers if possible: the store keeps them exactly.
Samples samples_of(const json& metric, const std::string& place) {
  const json& scale = member(metric, "scale", place);
  const json& values = member(metric, "samples", place);
  if (!scale.is_number() || !(scale.get<double>() > 0) || !std::isfinite(scale.get<double>()))
    fail(place, "\"scale\" to be a number above 0", scale);
  if (!values.is_array() || values.empty())
    fail(place, "\"samples\" to be a list of at least one integer", values);
  Samples samples;
  samples.ranks = 1;
  samples.iterations = values.size();
  samples.scale = scale.get<double>();
  for (const json& value : values) {
    if (!value.is_number_integer()) fail(place, "integers in \"samples\"", value);
  }
  const auto is_unsigned = [](const json& value) { return value.is_number_unsigned(); };
  if (std::all_of(values.begin(), values.end(), is_unsigned))
    samples.values = values.get<std::vector<std::uint64_t>>();
  else
    samples.values = values.get<std::vector<double>>();
  return samples;
}

/// Lower is better for times, energy and memory, higher for rates; unknown for other units.
Better usual_direction(const std::string& unit) {
  if (unit.ends_with("/s")) return Better::higher;
  return unit == "s" || unit == "J" || unit == "By" ? Better::lower : Better::none;
}

Metric metric_of(const json& described, const std::string& place) {
  Metric metric;
  metric.name = text_of(member(described, "metric", place), "metric", place);
  if (!text::is_identifier(metric.name))
    fail(place, "\"metric\" to be of the form [a-z][a-z0-9_]*", described["metric"]);
  const units::BaseUnit unit =
      units::base_unit(text_of(member(described, "unit", place), "unit", place));
  metric.unit = unit.unit;
  metric.samples = samples_of(described, place);
  metric.samples.scale *= unit.factor;
  metric.better = usual_direction(metric.unit);
  if (described.contains("direction")) {
    const std::string direction = text_of(described["direction"], "direction", place);
    if (direction != "lower" && direction != "higher")
      fail(place, "\"direction\" to be \"lower\" or \"higher\"", described["direction"]);
    metric.better = better_from(direction);
  }
  const bool is_time = metric.unit == "s" && metric.better == Better::lower &&
                       std::holds_alternative<std::vector<std::uint64_t>>(metric.samples.values);
  metric.kind = is_time ? MetricKind::duration : MetricKind::count;
  return metric;
}

std::string identifier_of(const json& value, const std::string& place) {
  if (value.is_number_integer()) return value.dump();
  return text_of(value, "run", place);
}

/// The side is restricted to characters allowed in folder names.
std::string side_of(const json& line, const std::string& place) {
  if (!line.contains("side")) return {};
  const std::string side = text_of(line["side"], "side", place);
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (side.empty() || side.size() > 64 || !std::all_of(side.begin(), side.end(), plain))
    fail(place, "\"side\" to be 1 to 64 letters, digits or _", line["side"]);
  return side;
}

std::string_view digits_of(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

/// Orders keys by letters and by the size of numbers: bytes=8 before bytes=128. JSON objects have
/// no order.
bool comes_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view digits_a = digits_of(a), digits_b = digits_of(b),
                           x = without_zeros(digits_a), y = without_zeros(digits_b);
    std::size_t same = 1;
    if (!digits_a.empty() && !digits_b.empty()) {
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
      // Equal numbers are passed as a whole, up to zeros in front that only one of them has.
      const auto end =
          std::mismatch(digits_a.begin(), digits_a.end(), digits_b.begin(), digits_b.end());
      same = std::max<std::size_t>(static_cast<std::size_t>(end.first - digits_a.begin()), 1);
    }
    if (a[0] != b[0]) return a[0] < b[0];
    a.remove_prefix(same);
    b.remove_prefix(same);
  }
  return a.size() < b.size();
}

/// Throws InputError if the run has a digest that is not that of its cases.
void check_digest(const json& line, const std::string& id, const json& cases,
                  const std::string& place) {
  if (!line.contains("digest")) return;
  RunsDigest digest;
  for (const auto& [key, described] : cases.items()) digest.add(key, described);
  if (line["digest"] != digest.hex(id))
    throw InputError(fmt::format("{}: the run is damaged: it does not match its digest", place));
}

Imported run_of(const ImportSource& source, const json& line, const std::string& place,
                const ImportTaker& taker) {
  if (!line.is_object()) fail(place, "an object with \"run\" and \"cases\"", line);
  note_unknown(line, {"run", "side", "cases", "digest"}, place, taker);
  const std::string id = identifier_of(member(line, "run", place), place);
  const std::string side = side_of(line, place);
  const json& cases = member(line, "cases", place);
  if (!cases.is_object() || cases.empty())
    fail(place, "\"cases\" to be an object of at least one case", cases);
  check_digest(line, id, cases, place);
  RunBuilder builder(imported_run(source, "JSON Lines", "1", line.dump()));
  builder.run().tags["run"] = id;
  if (!side.empty()) builder.run().tags["side"] = side;
  std::vector<std::string> keys;
  for (const auto& [key, described] : cases.items()) keys.push_back(key);
  std::stable_sort(keys.begin(), keys.end(), comes_before);
  for (const std::string& key : keys) {
    const json& described = cases[key];
    const std::string here =
        fmt::format("{}: case \"{}\"", place, text::printable(key, kLongestName));
    if (!described.is_object()) fail(here, "an object", described);
    note_unknown(described, {"metric", "unit", "scale", "samples", "direction"}, here, taker);
    CaseResult result = case_of_key(key, here);
    result.metrics.push_back(metric_of(described, here));
    result.primary_metric = result.metrics.front().name;
    builder.add(std::move(result), place);
  }
  return {builder.take(), side};
}

}  // namespace

void import_runs(const ImportSource& source, const ImportTaker& taker) {
  Lines lines(source.file, kLongestJson);
  std::set<std::pair<std::string, std::string>> seen;
  while (const auto line = lines.next()) {
    if (words(*line).empty()) continue;
    Imported imported = run_of(source, parse_json(*line, lines.place()), lines.place(), taker);
    const std::string& id = imported.run.tags["run"];
    if (!seen.emplace(imported.side, id).second)
      throw InputError(fmt::format("{}: the run \"{}\" occurs twice", lines.place(), id));
    taker.run(std::move(imported));
  }
  if (seen.empty())
    throw InputError(fmt::format("{}: holds no run", text::printable(source.file.string())));
}

}  // namespace scalemark::formats
