// SPDX-License-Identifier: Apache-2.0
// Parses the published numbers and finds the cases that repeat their experiments.
#include "common/study/published.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/stats/summary.hpp"
#include "common/study/published_csv.hpp"

namespace scalemark::study {
namespace {

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Parses words name=value; empty if a word has another form.
std::map<std::string, std::string> pairs(const std::string& text) {
  std::map<std::string, std::string> result;
  for (const std::string& word : text::split(text, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) return {};
    result[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return result;
}

/// "", "4", or "2 and 4"; nothing for another text.
std::optional<std::vector<std::string>> counts(const std::string& text) {
  std::vector<std::string> found;
  if (text.empty()) return found;
  for (const std::string& word : text::split(text, ' ')) {
    if (word == "and") continue;
    if (!text::parse_integer(word)) return std::nullopt;
    found.push_back(word);
  }
  return found;
}

/// Sets the value: "7", "85-101" or "over 4". False for another text.
bool set_value(Published& one, std::string_view text, double factor) {
  constexpr std::string_view kOver = "over ";
  one.at_least = text.starts_with(kOver);
  if (one.at_least) text.remove_prefix(kOver.size());
  const std::size_t dash = text.find('-', 1);
  const auto low = number(text.substr(0, dash));
  const auto high = dash == std::string_view::npos ? low : number(text.substr(dash + 1));
  if (!low || !high) return false;
  one.low = *low * factor;
  one.high = *high * factor;
  return true;
}

/// UCUM unit and factor of a unit of the table.
std::pair<std::string, double> base_unit(const std::string& unit) {
  if (unit == "percent") return {"1", 0.01};
  if (unit == "MB") return {"By", 1e6};
  if (unit == "kB") return {"By", 1e3};
  return {unit, 1};
}

/// The column of published numbers of this metric; null if the table has none.
const TableColumn* column_of(const Experiment& experiment, const Published& one) {
  const auto is_its = [&](const TableColumn& column) {
    return column.kind == ColumnKind::value && column.unit == one.unit &&
           column.published_name() == one.metric;
  };
  const auto found = std::ranges::find_if(experiment.columns, is_its);
  return found == experiment.columns.end() ? nullptr : &*found;
}

void add_of_experiment(const Experiment& experiment, const Measured& row,
                       const std::vector<Published>& all, std::vector<PublishedBeside>& found) {
  for (const Published& one : all) {
    if (one.experiment != experiment.published) continue;
    const TableColumn* column = column_of(experiment, one);
    if (column == nullptr || !is_of_row(one, experiment, row)) continue;
    if (const auto here = number_of(*column, row)) found.push_back({row.key, one, {*here}});
  }
}

}  // namespace

std::string text_of(const Published& one) {
  const std::string unit = one.unit == "1" ? "" : " " + one.unit;
  if (one.at_least) return fmt::format("over {:.6g}{}", one.low, unit);
  if (one.low == one.high) return fmt::format("{:.6g}{}", one.low, unit);
  return fmt::format("{:.6g} to {:.6g}{}", one.low, one.high, unit);
}

double ratio(double here, const Published& one) {
  if (here < one.low) return here / one.low;
  if (one.at_least) return here / one.low;
  return here > one.high ? here / one.high : 1;
}

std::vector<Published> parse_published(std::string_view csv) {
  std::vector<Published> all;
  for (const std::string& line : text::split(std::string(csv), '\n')) {
    const std::vector<std::string> fields = text::split(line, ',');
    if (fields.size() != 7) continue;
    Published one{.experiment = fields[0], .source = fields[1], .parameters = pairs(fields[3])};
    const auto gpus = counts(fields[2]);
    const auto [unit, factor] = base_unit(fields[6]);
    if (!gpus || one.parameters.empty() || !set_value(one, fields[5], factor)) continue;
    one.gpus = *gpus;
    one.metric = fields[4];
    one.unit = unit;
    all.push_back(std::move(one));
  }
  return all;
}

const std::vector<Published>& published_values() {
  static const std::vector<Published> all = parse_published(published_csv());
  return all;
}

bool is_of_row(const Published& one, const Experiment& experiment, const Measured& row) {
  const bool has_gpus = one.gpus.empty() || std::ranges::count(one.gpus, value_of(row, "gpus")) > 0;
  const bool tells_all = std::ranges::all_of(experiment.rows, [&](const RowAxis& axis) {
    return axis.axis == "gpus" || one.parameters.contains(axis.axis);
  });
  return has_gpus && tells_all && std::ranges::all_of(one.parameters, [&](const auto& pair) {
           return value_of(row, pair.first) == pair.second;
         });
}

std::vector<PublishedBeside> published_for(const CaseResult& result,
                                           const std::vector<Published>& all) {
  std::vector<PublishedBeside> found;
  const auto row = measured(result);
  if (!row || row->status != Status::ok) return found;
  for (const Experiment& experiment : experiments()) {
    if (experiment.benchmark == row->benchmark && deviations(experiment, *row).empty())
      add_of_experiment(experiment, *row, all, found);
  }
  return found;
}

void add_published(const CaseResult& result, const std::vector<Published>& all,
                   std::vector<PublishedBeside>& found) {
  for (PublishedBeside& one : published_for(result, all)) {
    const auto same = [&](const PublishedBeside& other) {
      return other.key == one.key && other.published == one.published;
    };
    const auto place = std::ranges::find_if(found, same);
    if (place == found.end()) {
      found.push_back(std::move(one));
    } else {
      place->here.push_back(one.here.front());
    }
  }
}

void print_published(const std::vector<PublishedBeside>& found, std::ostream& out) {
  if (!found.empty()) out << "\nPublished (4 x H100 94 GB, PyTorch 2.2), against this file:\n";
  for (const auto& [key, one, values] : found) {
    const double here = stats::median(values);
    out << fmt::format("  {}\n    {:<12} published {}, here {:.6g}{}{}, ratio {:.4g}  ({}, {}{})\n",
                       text::printable(key, 400), one.metric, text_of(one), here,
                       one.unit == "1" ? "" : " ", one.unit == "1" ? "" : one.unit,
                       ratio(here, one), one.experiment, one.source,
                       one.gpus.empty() ? ", number of GPUs not stated" : "");
  }
}

}  // namespace scalemark::study
