// SPDX-License-Identifier: Apache-2.0
// Trainings: losses, accuracies, and the parts of a step.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/html/drawing/bars.hpp"
#include "common/html/drawing/chart.hpp"
#include "common/html/drawing/svg.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"
#include "common/html/words.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kCurvesPerChart = 6;
constexpr std::size_t kMaxBars = 24;

struct TrainingCurve {
  std::string name, rate;  ///< ", 604 image/s"; empty if not stored
  const Training* training = nullptr;
};

constexpr int kRateDigits = 3;

/// Images or tokens per second; null if neither is stored.
const Quantity* training_rate(const Row& row) {
  const Quantity* rate = row.sample().find("images_per_second");
  return rate != nullptr ? rate : row.sample().find("tokens_per_second");
}

std::vector<TrainingCurve> training_curves(const Group& group) {
  std::vector<TrainingCurve> curves;
  for (const Row* row : group.rows) {
    // The first run with a training: runs with the same seed have the same losses.
    const auto found = std::ranges::find_if(
        row->cases, [](const CaseExtract* one) { return one->training.has_value(); });
    if (found == row->cases.end()) continue;
    const std::string label = group.label(*row);
    const Quantity* rate = training_rate(*row);
    curves.push_back({label.empty() ? row->name : label,
                      rate == nullptr ? std::string()
                                      : ", " + units::quantity(row->value(rate->name).value,
                                                               rate->unit, kRateDigits),
                      &*(*found)->training});
  }
  return curves;
}

Series curve_series(const TrainingCurve& curve, std::size_t style) {
  Series series;
  series.name = curve.name;
  series.points = curve.training->loss;
  series.style = style;
  series.markers = false;
  return series;
}

std::string loss_table(const std::vector<TrainingCurve>& curves) {
  std::vector<TableRow> rows;
  for (const TrainingCurve& curve : curves) {
    const std::vector<Point>& loss = curve.training->loss;
    rows.push_back(
        {{curve.name, std::to_string(curve.training->steps), units::quantity(loss.front().y, "1"),
          units::quantity(loss[loss.size() / 2].y, "1"), units::quantity(loss.back().y, "1")},
         ""});
  }
  return table("Loss: mean over some steps at the start, in the middle and at the end",
               {{"training"}, {"steps", true}, {"first", true}, {"middle", true}, {"last", true}},
               rows);
}

std::string loss_charts(const Group& group, const std::vector<TrainingCurve>& curves) {
  std::string html;
  for (std::size_t from = 0; from < curves.size(); from += kCurvesPerChart) {
    const std::vector<TrainingCurve> some(
        curves.begin() + static_cast<std::ptrdiff_t>(from),
        curves.begin() +
            static_cast<std::ptrdiff_t>(std::min(from + kCurvesPerChart, curves.size())));
    Chart chart;
    chart.title = fmt::format("{}: loss", group.name);
    chart.subtitle = group.constants_text();
    chart.description = fmt::format("Loss over the steps of {} trainings.", some.size());
    chart.x = {.title = "step", .unit = "1", .whole = true};
    chart.y = {.title = "loss", .unit = "1"};
    for (const TrainingCurve& curve : some)
      chart.series.push_back(curve_series(curve, chart.series.size()));
    html += figure(chart, loss_table(some));
    Chart accuracy = chart;
    accuracy.title = fmt::format("{}: accuracy after each epoch", group.name);
    accuracy.description = "Share of test images recognised.";
    accuracy.x.title = "epoch";
    accuracy.y = {.title = "accuracy", .unit = "1"};
    accuracy.series.clear();
    for (std::size_t i = 0; i < some.size(); ++i) {
      Series series;
      series.name = some[i].name;
      series.style = i;
      const std::vector<double>& values = some[i].training->accuracy;
      for (std::size_t epoch = 0; epoch < values.size(); ++epoch)
        series.points.push_back({static_cast<double>(epoch + 1), values[epoch]});
      if (values.size() > 1) accuracy.series.push_back(std::move(series));
    }
    html += figure(accuracy);
  }
  return html;
}

/// The parts of a step in the order of the bar.
struct Parts {
  std::array<double, 3> seconds;  ///< computing, waiting for other ranks, waiting for data
};

Parts parts_of(const Training& training) {
  const double exposed = training.exposed.value_or(0);
  return {{std::max(training.step - training.wait - exposed, 0.0), exposed, training.wait}};
}

constexpr std::array<const char*, 3> kPartNames = {
    "computation, and communication overlapped with it", "exposed communication",
    "waiting for the next batch"};
constexpr std::array<const char*, 3> kPartStyles = {"f s0", "f s1", "f s2"};

std::string step_bars(const Group& group, const std::vector<TrainingCurve>& curves) {
  constexpr double kBarWidth = 360, kLine = 40;
  const std::size_t count = std::min(curves.size(), kMaxBars);
  double longest = 0;
  for (std::size_t i = 0; i < count; ++i) longest = std::max(longest, curves[i].training->step);
  if (!(longest > 0)) return {};
  const std::string title = fmt::format("{}: parts of a step", group.name);
  Svg svg(kBarWidth, kLine * static_cast<double>(count) + 4, title,
          "One bar per training: its length is the median step; the table has the parts.");
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const Training& training = *curves[i].training;
    const Parts parts = parts_of(training);
    const double y = kLine * static_cast<double>(i);
    svg.text(0, y + 13,
             fitted(fmt::format("{}: {}{}, {}", i + 1, units::seconds(training.step),
                                curves[i].rate, curves[i].name),
                    kBarWidth),
             "");
    double x = 0;
    TableRow row{{std::to_string(i + 1), curves[i].name, units::seconds(training.step)}, ""};
    for (std::size_t part = 0; part < parts.seconds.size(); ++part) {
      const double width = parts.seconds[part] / longest * (kBarWidth - 2);
      svg.rectangle(x, y + 18, width, 16, kPartStyles[part],
                    fmt::format("{}: {}", kPartNames[part], units::seconds(parts.seconds[part])));
      const double share = training.step > 0 ? parts.seconds[part] / training.step : 0;
      if (width > 44) svg.text(x + width / 2, y + 30, fmt::format("{:.0f} %", 100 * share), "i m");
      x += width;
      row.cells.push_back(
          part == 1 && !training.exposed
              ? std::string("not measured")
              : fmt::format("{} ({:.1f} %)", units::seconds(parts.seconds[part]), 100 * share));
    }
    rows.push_back(std::move(row));
  }
  std::string legend;
  for (std::size_t part = 0; part < kPartNames.size(); ++part)
    legend += legend_area(kPartStyles[part], fmt::format("{}: {}",
                                                         part == 0   ? "left"
                                                         : part == 1 ? "middle"
                                                                     : "right",
                                                         kPartNames[part]));
  return fmt::format(
      "<figure><figcaption>{}<span class=\"sub\">{}</span></figcaption>\n{}<ul "
      "class=\"legend\">{}</ul>\n{}</figure>\n",
      text_of(title), text_of(group.constants_text()), svg.str(), legend,
      folded("Numbers", table("Median step and its parts (medians, so they need not add up)",
                              {{"bar", true},
                               {"training"},
                               {"step", true},
                               {"computing", true},
                               {"exposed communication", true},
                               {"loader wait", true}},
                              rows)));
}

/// Images or tokens per second for each training.
std::string training_rates(const Group& group) {
  BarGroup bars{group.name, group.constants_text(), {}};
  for (const Row* row : group.rows) {
    const Quantity* rate = training_rate(*row);
    if (rate == nullptr || bars.bars.size() == kMaxBars) continue;
    const RowValue value = row->value(rate->name);
    const std::string text = units::quantity(value.value, rate->unit), label = group.label(*row);
    bars.bars.push_back({label.empty() ? std::string(short_name(row->name)) : label, value.value,
                         text,
                         fmt::format("{}: {} {} ({})", row->key, text,
                                     interval_text(value, rate->unit), interval_words(value.runs)),
                         bars.bars.size()});
  }
  // A single bar adds nothing to the table of all rows.
  if (bars.bars.size() < 2) return {};
  return bar_figure(fmt::format("{}: training rate", group.name), "longer is faster", {bars});
}

}  // namespace

std::string trainings(const std::vector<Group>& groups) {
  std::string html, rates;
  for (const Group& group : groups) {
    rates += training_rates(group);
    const std::vector<TrainingCurve> curves = training_curves(group);
    if (curves.empty()) continue;
    const std::string charts = loss_charts(group, curves) + step_bars(group, curves);
    if (html.size() + charts.size() > 2 * kDrawingBytes) continue;
    html += charts;
  }
  if (html.empty()) return rates;
  return fmt::format("{}{}<div class=\"grid\">\n{}</div>\n", rates,
                     note("Losses: mean and range over neighbouring steps."), html);
}

}  // namespace scalemark::html
