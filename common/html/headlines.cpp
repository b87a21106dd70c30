// SPDX-License-Identifier: Apache-2.0
// Selects and draws the headline numbers of the page.
#include "common/html/headlines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/html/html.hpp"
#include "common/html/words.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxTiles = 6, kEnoughTiles = 4;
constexpr int kTileDigits = 3;

enum class Choice { largest, smallest, at_largest_size };

struct WantedTile {
  const char* title;
  const char* benchmark;
  const char* metric;
  Choice choice;
};

/// Most important first. Of entries with the same title the first that was measured is used.
constexpr std::array kWanted = {
    WantedTile{"LLM fine-tuning", "llm/finetune", "tokens_per_second", Choice::largest},
    WantedTile{"LLM fine-tuning", "micro/lora_step", "tokens_per_second", Choice::largest},
    WantedTile{"LLM inference", "llm/inference", "tokens_per_second", Choice::largest},
    WantedTile{"Image training", "imaging/train", "images_per_second", Choice::largest},
    WantedTile{"Ping-pong bandwidth", "micro/pingpong", "bandwidth", Choice::largest},
    WantedTile{"Ping-pong bandwidth", "micro/bandwidth", "bandwidth", Choice::largest},
    WantedTile{"Allreduce bus bandwidth", "micro/allreduce", "bus_bandwidth", Choice::largest},
    WantedTile{"Allreduce bus bandwidth", "micro/allreduce", "bandwidth", Choice::largest},
    WantedTile{"Matrix product", "micro/gemm", "achieved_flops", Choice::largest},
    WantedTile{"Convolution", "micro/conv2d", "achieved_flops", Choice::largest},
    WantedTile{"Memory copy", "micro/memcpy", "bandwidth", Choice::at_largest_size},
    WantedTile{"Memory stream", "micro/stream", "bandwidth", Choice::largest},
    WantedTile{"Kernel launch", "micro/kernel_launch", "latency", Choice::smallest},
    WantedTile{"Loading images", "imaging/loader", "images_per_second", Choice::largest},
    WantedTile{"File read", "micro/file_read", "bandwidth", Choice::largest},
};

double size_of(const Row& row) {
  const std::string text = axis_of(row, "bytes");
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The axes that describe this row in short. Leaves out values that all rows of the group share,
/// except for the axes that always matter.
std::string condition_of(const Row& row, const std::set<std::string>& differing) {
  constexpr std::array<std::string_view, 9> kAlways = {
      "bytes", "backend", "precision", "model", "strategy", "method", "direction", "layer", "mode"};
  std::vector<std::string> words = {std::string(short_name(row.name))};
  if (const std::string bytes = axis_of(row, "bytes"); !bytes.empty())
    words.push_back(axis_text("bytes", bytes));
  for (const auto& [axis, value] : row.cases.front()->params) {
    if (axis == "bytes") continue;
    if (axis == "ranks") {
      words.push_back(value == "1" ? "1 rank" : value + " ranks");
    } else if (differing.contains(axis) || std::ranges::count(kAlways, axis) > 0) {
      words.push_back(value == "true" || value == "false" ? fmt::format("{}={}", axis, value)
                                                          : value);
    }
  }
  return text::join(words, ", ");
}

std::set<std::string> differing_axes(const std::vector<const Row*>& rows) {
  std::map<std::string, std::set<std::string>> values;
  for (const Row* row : rows) {
    for (const auto& [axis, value] : row->cases.front()->params) values[axis].insert(value);
  }
  std::set<std::string> axes;
  for (const auto& [axis, seen] : values) {
    if (seen.size() > 1) axes.insert(axis);
  }
  return axes;
}

/// The row that represents its benchmark; null if none has the metric.
const Row* chosen_row(const std::vector<const Row*>& rows, std::string_view metric, Choice choice) {
  const Row* best = nullptr;
  for (const Row* row : rows) {
    const double value = row->value(metric).value;
    if (!std::isfinite(value)) continue;
    if (best == nullptr) {
      best = row;
      continue;
    }
    const double other = best->value(metric).value;
    const bool larger_size = size_of(*row) > size_of(*best);
    const bool same_size = size_of(*row) == size_of(*best);
    const bool better = choice == Choice::smallest  ? value < other
                        : choice == Choice::largest ? value > other
                                                    : larger_size || (same_size && value > other);
    if (better) best = row;
  }
  return best;
}

std::vector<const Row*> measured_rows(const std::vector<Row>& rows, std::string_view benchmark) {
  std::vector<const Row*> found;
  for (const Row& row : rows) {
    if (row.name == benchmark && row.ok() && !row.sample().quantities.empty())
      found.push_back(&row);
  }
  return found;
}

Headline headline_of(const std::string& title, const Row& row, const std::string& metric,
                     const std::vector<const Row*>& rows) {
  return {title,  condition_of(row, differing_axes(rows)), &row,
          metric, row.sample().find(metric)->unit,         {}};
}

/// Adds the latency to the ping-pong tile: "latency 161 ns at 8 B".
void add_latency(const std::vector<Row>& rows, Headline& headline) {
  if (headline.row->name != "micro/pingpong" || headline.metric == "latency") return;
  const Row* row = chosen_row(measured_rows(rows, "micro/pingpong"), "latency", Choice::smallest);
  if (row == nullptr) return;
  headline.extra = fmt::format("latency {} at {}",
                               units::quantity(row->value("latency").value, "s", kTileDigits),
                               axis_text("bytes", axis_of(*row, "bytes")));
}

/// Adds a tile per benchmark that has none, with its primary metric.
void add_other_benchmarks(const std::vector<Row>& rows, std::vector<Headline>& found) {
  std::set<std::string> seen;
  for (const Headline& one : found) seen.insert(one.row->name);
  for (const Row& row : rows) {
    if (found.size() == kMaxTiles) return;
    if (!row.ok() || row.sample().quantities.empty() || !seen.insert(row.name).second) continue;
    const Quantity& primary = row.sample().quantities.front();
    const std::vector<const Row*> own = measured_rows(rows, row.name);
    const Row* best = chosen_row(
        own, primary.name, primary.better == Better::higher ? Choice::largest : Choice::smallest);
    if (best == nullptr || best->sample().find(primary.name) == nullptr) continue;
    found.push_back(headline_of(fmt::format("{} {}", short_name(row.name), primary.name), *best,
                                primary.name, own));
  }
}

/// If there are few tiles, adds the smallest time of each benchmark beside its rate.
void add_least_times(const std::vector<Row>& rows, std::vector<Headline>& found) {
  std::set<std::string> names;
  for (const Headline& one : found) names.insert(one.row->name);
  for (const std::string& name : names) {
    const std::vector<const Row*> own = measured_rows(rows, name);
    if (found.size() >= kEnoughTiles || own.empty()) continue;
    const Quantity& primary = own.front()->sample().quantities.front();
    const Row* least = chosen_row(own, primary.name, Choice::smallest);
    const auto shown = [&](const Headline& one) {
      return one.row->name == name && (one.metric == primary.name || !one.extra.empty());
    };
    if (primary.kind != MetricKind::duration || least == nullptr ||
        std::ranges::any_of(found, shown) || least->sample().find(primary.name) == nullptr)
      continue;
    found.push_back(headline_of(fmt::format("{}, least {}", short_name(name), primary.name), *least,
                                primary.name, own));
  }
}

const compare::CompareRow* compared_row(const compare::Comparison* comparison, const Row& row) {
  if (comparison == nullptr) return nullptr;
  const auto found = std::ranges::find(comparison->rows, row.key, &compare::CompareRow::key);
  return found == comparison->rows.end() ? nullptr : &*found;
}

const char* tile_mark(compare::Verdict verdict) {
  return verdict == compare::Verdict::regression     ? "bad"
         : verdict == compare::Verdict::inconclusive ? "warn"
                                                     : "good";
}

std::string value_text(const Row& row, const Headline& headline) {
  return units::quantity(row.value(headline.metric).value, headline.unit, kTileDigits);
}

std::string tile_of(const Headline& one, std::string_view own_name,
                    const std::vector<Beside>& others, const compare::Comparison* comparison) {
  const RowValue value = one.row->value(one.metric);
  std::string html =
      fmt::format("<li title=\"{}\"><span class=\"sub\">{}</span><b>{}{}</b>",
                  text_of(fmt::format("{}: {} {} {} ({})", key_text(one.row->key), one.metric,
                                      units::quantity(value.value, one.unit),
                                      interval_text(value, one.unit), interval_words(value.runs))),
                  text_of(one.title),
                  own_name.empty() ? "" : fmt::format("<small>{}</small> ", text_of(own_name, 40)),
                  text_of(value_text(*one.row, one)));
  if (!one.extra.empty()) html += fmt::format("<span>{}</span>", text_of(one.extra));
  for (const Beside& other : others) {
    const auto same = std::ranges::find(*other.rows, one.row->key, &Row::key);
    const bool known = same != other.rows->end() && same->ok();
    html +=
        fmt::format("<span class=\"other\"><small>{}</small> {}</span>", text_of(other.name, 40),
                    known ? text_of(value_text(*same, one)) : "not measured");
  }
  if (const compare::CompareRow* row = compared_row(comparison, *one.row)) {
    html += fmt::format("<span class=\"{}\">{}</span>", tile_mark(row->verdict),
                        compare::to_string(row->verdict));
  }
  return html + fmt::format("<span class=\"sub\">{}</span></li>\n", text_of(one.condition, 90));
}

}  // namespace

std::vector<Headline> headlines(const std::vector<Row>& rows) {
  std::vector<Headline> found;
  for (const WantedTile& wanted : kWanted) {
    if (found.size() == kMaxTiles) break;
    if (std::ranges::count(found, wanted.title, &Headline::title) > 0) continue;
    const std::vector<const Row*> own = measured_rows(rows, wanted.benchmark);
    const Row* row = chosen_row(own, wanted.metric, wanted.choice);
    if (row != nullptr && row->sample().find(wanted.metric) != nullptr)
      add_latency(rows, found.emplace_back(headline_of(wanted.title, *row, wanted.metric, own)));
  }
  add_other_benchmarks(rows, found);
  add_least_times(rows, found);
  return found;
}

std::string headline_tiles(const std::vector<Headline>& headlines, std::string_view own_name,
                           const std::vector<Beside>& others,
                           const compare::Comparison* comparison) {
  if (headlines.empty()) return {};
  std::string html = "<ul class=\"tiles\">\n";
  for (const Headline& one : headlines) html += tile_of(one, own_name, others, comparison);
  return html + "</ul>\n";
}

}  // namespace scalemark::html
