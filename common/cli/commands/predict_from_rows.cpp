// SPDX-License-Identifier: Apache-2.0
// Fits the rows of each series, predicts what was asked for, and prints it with its sources.
#include "common/cli/commands/predict_from_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/cli/commands/bound_by_ranks.hpp"
#include "common/cli/commands/page_file.hpp"
#include "common/cli/commands/predict_collective.hpp"
#include "common/cli/commands/predict_rows.hpp"
#include "common/cli/commands/predict_targets.hpp"
#include "common/cli/commands/rank_reach.hpp"
#include "common/cli/terminal.hpp"
#include "common/core/benchmark.hpp"
#include "common/html/scaling_page.hpp"
#include "common/predict/conformal.hpp"
#include "common/predict/scale_model.hpp"
#include "common/predict/schedule.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kSuite = "micro/";

/// One line of the output.
struct Line {
  int ranks = 0;
  double bytes = 0, seconds = 0, low = 0, high = 0, error = 0;
  bool has_interval = false, fits = true, tested = true;
  std::string form;
  std::vector<std::string> equal_forms;  ///< that cannot be told apart from it
  std::optional<double> measured;
  std::vector<predict::CollectiveTime> used;
  RankReach reach = {};
  /// Part of the time that grows with the number of messages; nothing for the fallback.
  std::optional<double> step_share;

  /// An interval, or several forms.
  bool has_range() const { return has_interval || low < high; }
};

std::string_view collective_of(const RowPrediction& request) {
  const std::string_view name = request.workload;
  if (!name.starts_with(kSuite) || predict::forms_of(name.substr(kSuite.size())).empty()) {
    std::vector<std::string> allowed = predict::collectives_with_forms();
    for (std::string& one : allowed) one.insert(0, kSuite);
    for (const Benchmark* one : Registry::instance().all()) {
      if (one->has_communication()) allowed.push_back(one->name());
    }
    throw UsageError(fmt::format("--workload is '{}', allowed: {}",
                                 text::printable(request.workload, 100),
                                 text::join(allowed, ", ")));
  }
  return name.substr(kSuite.size());
}

/// Extra-P's form over the ranks, at a measured size, where it says more than the forms: judged
/// like them by the number of ranks that the others predict worst. Returns whether it does.
bool use_scale_model(Line& line) {
  std::vector<double> ranks, seconds;
  for (const predict::CollectiveTime& one : line.used) {
    if (one.bytes != line.bytes) continue;
    ranks.push_back(one.ranks);
    seconds.push_back(one.seconds);
  }
  constexpr std::size_t kNeeded = 5, kMost = 500;  // it takes time in proportion to the square
  if (ranks.size() < kNeeded || ranks.size() > kMost) return false;
  // As many ranks on other numbers of nodes are no point of their own.
  if (std::ranges::adjacent_find(ranks) != ranks.end()) return false;
  const predict::ScaleModel model = predict::fit_scale_model(ranks, seconds);
  if (!(model.worst_error < line.error)) return false;
  line.seconds = line.low = line.high = model.at(line.ranks);
  line.error = model.worst_error;
  line.fits = line.error <= predict::kMaxFormError && line.seconds > 0;
  line.equal_forms.clear();
  line.form = fmt::format("{:.3g} + {:.3g} p^{:.3g} log2(p)^{}", model.constant, model.coefficient,
                          model.power, model.log_power);
  return true;
}

Line predicted(const predict::CollectivePredictor& predictor, double run_deviation, int ranks,
               double bytes, double level) {
  predict::CollectivePrediction found = predictor.predict(ranks, bytes, level);
  Line line{.ranks = ranks,
            .bytes = bytes,
            .seconds = found.seconds,
            .low = found.low,
            .high = found.high,
            .error = found.forms.front().error,
            .fits = found.fits(),
            .tested = found.is_tested(),
            .form = found.forms.front().name(),
            .equal_forms = {},
            .measured = {},
            .used = std::move(found.used)};
  for (std::size_t i = 1; i < found.forms.size(); ++i)
    line.equal_forms.push_back(found.forms[i].name());
  const bool by_scale_model = !line.fits && use_scale_model(line);
  const predict::FittedForm& best = found.forms.front();
  if (!by_scale_model && found.seconds > 0)
    line.step_share = best.step_seconds * best.form.steps(best.parties(ranks)) / found.seconds;
  line.reach = reach_of(ranks, ranks_in(line.used));
  if (const auto interval = interval_of(found, line.reach, run_deviation, level);
      interval && !by_scale_model) {
    std::tie(line.low, line.high) = *interval;
    line.has_interval = true;
  }
  for (const predict::CollectiveTime& one : line.used) {
    if (one.ranks == ranks && one.bytes == bytes) line.measured = one.seconds;
  }
  return line;
}

std::vector<Line> lines_of(std::string_view collective, const CollectiveRows& rows,
                           const RowTargets& targets, double level) {
  std::set<double> sizes(targets.bytes.begin(), targets.bytes.end());
  if (!rows.has_sizes) {
    sizes = {0};
  } else if (sizes.empty()) {
    for (const predict::CollectiveTime& one : rows.times) sizes.insert(one.bytes);
  }
  const predict::CollectivePredictor predictor(collective, rows.times, rows.one_node);
  std::vector<Line> lines;
  for (const std::int64_t ranks : targets.ranks) {
    for (const double bytes : sizes)
      lines.push_back(
          predicted(predictor, rows.run_deviation, static_cast<int>(ranks), bytes, level));
  }
  return lines;
}

std::string form_text(const Line& line) {
  std::vector<std::string> forms{line.form};
  forms.insert(forms.end(), line.equal_forms.begin(), line.equal_forms.end());
  const std::string names = text::join(forms, ", or ");
  if (!line.tested) return "untested: " + names;
  return line.fits ? names : "none fits; best: " + names;
}

/// The part of the time that is for the number of messages, whatever their size.
std::string share_text(const Line& line) {
  return line.step_share ? fmt::format("{:.0f} %", 100 * *line.step_share) : "-";
}

void print_notes(const CollectiveRows& rows, const std::vector<Line>& lines, double level) {
  std::vector<std::string> ranks;
  for (const int one : ranks_in(rows.times)) ranks.push_back(std::to_string(one));
  fmt::print(std::cout, "From {} of {}, on {} ranks{}.", text::counted(rows.times.size(), "row"),
             text::counted(rows.runs, "run"), text::join(ranks, ", "),
             rows.nodes > 1    ? " of several nodes"
             : rows.nodes == 1 ? " of one node"
                               : "");
  if (!rows.one_node.empty())
    fmt::print(std::cout, " {} of one node only for forms of two levels.",
               text::counted(rows.one_node.size(), "row"));
  fmt::print(std::cout,
             "\nerror: of each number of ranks, predicted from the others. messages: part of the "
             "time that is for their number, the rest is for their bytes.\n");
  const bool some_without =
      std::ranges::any_of(lines, [](const Line& one) { return one.fits && !one.has_interval; });
  if (some_without)
    fmt::print(
        std::cout,
        "No {:.3g} % interval: it needs {} rows beside the size, a form that is no fallback, "
        "and ranks as near as those that forms were tested on. The range is that of the "
        "forms.\n",
        100 * level, predict::residuals_needed(level));
  if (std::ranges::any_of(lines, [](const Line& one) { return one.tested && !one.fits; }))
    fmt::print(std::cout,
               "none fits: no form predicts the measured rows within {:.0f} %, so the figure is a "
               "guess.\n",
               100 * predict::kMaxFormError);
  if (std::ranges::any_of(lines, [](const Line& one) { return !one.tested; }))
    fmt::print(std::cout,
               "untested: rows of {} numbers of ranks or more tell which form is right.\n",
               predict::kTestedRanks);
  const auto sizes = std::ranges::minmax(rows.times, {}, &predict::CollectiveTime::bytes);
  const auto is_measured = [&](const Line& line) {
    return line.bytes >= sizes.min.bytes && line.bytes <= sizes.max.bytes;
  };
  if (!std::ranges::all_of(lines, is_measured))
    fmt::print(
        std::cout,
        "A size outside of those measured: as if the library did there what it does next to it.\n");
  const auto far =
      std::ranges::max_element(lines, {}, [](const Line& one) { return one.reach.beyond; });
  if (far->reach.is_far()) fmt::print(std::cout, "{}\n", far->reach.note());
}

void print_text(std::string_view collective, const CollectiveRows& rows,
                const std::vector<Line>& lines, double level) {
  fmt::print(std::cout, "{}\n", text::printable(rows.key, 400));
  std::vector<text::TextColumn> columns{{.header = "ranks", .number = true}};
  if (rows.has_sizes) columns.push_back({.header = "bytes", .number = true});
  for (const char* header : {"time", "low", "high", "error"})
    columns.push_back({.header = header, .number = true});
  columns.push_back({.header = "measured", .number = true, .aside = true});
  columns.push_back({.header = "messages", .number = true, .aside = true});
  columns.push_back({.header = fmt::format("algorithm of {}", collective)});
  std::vector<text::TextRow> table;
  for (const Line& one : lines) {
    text::TextRow row{.cells = {std::to_string(one.ranks)}, .color = {}};
    if (rows.has_sizes) row.cells.push_back(units::bytes(static_cast<std::uint64_t>(one.bytes)));
    row.cells.push_back(units::seconds(one.seconds, 3));
    for (const double value : {one.low, one.high})
      row.cells.push_back(one.has_range() ? units::seconds(value, 3) : "-");
    row.cells.push_back(fmt::format("{:.1f} %", 100 * one.error));
    row.cells.push_back(one.measured ? units::seconds(*one.measured, 3) : "-");
    row.cells.push_back(share_text(one));
    row.cells.push_back(form_text(one));
    table.push_back(std::move(row));
  }
  text::print_text_table(columns, table, table_width(), std::cout);
  print_notes(rows, lines, level);
}

ordered_json json_of(const CollectiveRows& rows, const Line& line, double level) {
  ordered_json used = ordered_json::array();
  for (const predict::CollectiveTime& one : line.used)
    used.push_back({{"ranks", one.ranks},
                    {"bytes", one.bytes},
                    {"nodes", one.nodes},
                    {"seconds", one.seconds}});
  return {{"series", text::json_text(rows.key)},
          {"ranks", line.ranks},
          {"bytes", rows.has_sizes ? ordered_json(line.bytes) : ordered_json()},
          {"seconds", text::json_number(line.seconds)},
          {"low", line.has_range() ? text::json_number(line.low) : ordered_json()},
          {"high", line.has_range() ? text::json_number(line.high) : ordered_json()},
          {"level", line.has_interval ? ordered_json(level) : ordered_json()},
          {"form", line.form},
          {"fits", line.fits},
          {"tested", line.tested},
          {"equal_forms", line.equal_forms},
          {"error", text::json_number(line.error)},
          {"measured", line.measured ? text::json_number(*line.measured) : ordered_json()},
          {"beyond_measured_ranks", line.reach.beyond},
          {"message_share", line.step_share ? text::json_number(*line.step_share) : ordered_json()},
          {"runs", rows.runs},
          {"nodes", rows.nodes},
          {"rows", used}};
}

/// Which algorithm a line is of at its end, and what bounds it where.
html::TableRow facts_of(const std::string& name, const std::vector<const Line*>& lines) {
  std::map<int, std::string> bounds;
  for (const Line* one : lines) {
    if (one->step_share) bounds[one->ranks] = *one->step_share > 0.5 ? "messages" : "bytes";
  }
  const Line& last = *lines.back();
  return {{name, form_text(last), share_text(last), bound_by_ranks(bounds),
           fmt::format("{:.0f} of {}", last.ranks / last.reach.beyond, last.ranks)},
          last.reach.is_far() ? "warn" : ""};
}

html::RanksFigure figure_of(const CollectiveRows& rows, const std::vector<Line>& lines) {
  html::RanksFigure figure{rows.key, {}, {}, {}, {}};
  figure.columns = {{"line"},
                    {"algorithm"},
                    {fmt::format("share of messages at {} ranks", lines.back().ranks), true},
                    {"bound by their number (messages) or their bytes"},
                    {"ranks measured of drawn", true}};
  std::map<double, std::vector<const Line*>> by_size;
  for (const Line& one : lines) by_size[one.bytes].push_back(&one);
  for (const auto& [bytes, of_size] : by_size) {
    const std::string name =
        rows.has_sizes ? units::bytes(static_cast<std::uint64_t>(bytes)) : "time";
    html::RanksLine line{name, {}, {}};
    for (const Line* one : of_size) {
      html::Point point{static_cast<double>(one->ranks), one->seconds};
      if (one->has_interval) {
        point.low = one->low;
        point.high = one->high;
      }
      line.predicted.push_back(point);
    }
    for (const predict::CollectiveTime& one : rows.times) {
      if (one.bytes == bytes)
        line.measured.push_back({static_cast<double>(one.ranks), one.seconds});
    }
    std::ranges::sort(line.measured, {}, &html::Point::x);
    figure.lines.push_back(std::move(line));
    figure.rows.push_back(facts_of(name, of_size));
  }
  return figure;
}

bool has_two_numbers_of_ranks(const CollectiveRows& rows) {
  return ranks_in(rows.times).size() > 1;
}

int nothing_to_predict_from(const std::string& workload, const RowTargets& targets,
                            const std::vector<CollectiveRows>& all, bool has_sizes) {
  std::string found = "no row";
  if (!all.empty())
    found = fmt::format("rows on {} ranks only", *ranks_in(all.front().times).begin());
  fmt::print(stderr,
             "scalemark predict: {} of {} there: two numbers of ranks or more are needed, three to "
             "test a form. To "
             "measure them:\n  mpirun -n 8 scalemark run {} -a ranks=2,4,8{}{} -o rows.h5\n",
             found, workload, workload, has_sizes ? " -a bytes=8:4M:*4" : "", targets.options());
  return static_cast<int>(ExitCode::nothing);
}

}  // namespace

int predict_from_rows(const RowPrediction& request, const std::string& format) {
  const std::string_view collective = collective_of(request);
  const RowTargets targets = targets_of(request, 2);
  std::vector<CollectiveRows> all =
      read_collective_rows(request.files, request.workload, targets.words);
  if (std::ranges::none_of(all, has_two_numbers_of_ranks))
    return nothing_to_predict_from(request.workload, targets, all, collective != "barrier");
  std::erase_if(all, [](const CollectiveRows& one) { return !has_two_numbers_of_ranks(one); });
  ordered_json json = ordered_json::array();
  std::vector<html::RanksFigure> figures;
  for (const CollectiveRows& rows : all) {
    const std::vector<Line> lines = lines_of(collective, rows, targets, request.level);
    if (!request.page.empty()) {
      figures.push_back(figure_of(rows, lines));
    } else if (format == "json") {
      for (const Line& one : lines) json.push_back(json_of(rows, one, request.level));
    } else {
      print_text(collective, rows, lines, request.level);
    }
  }
  if (!request.page.empty())
    write_page(
        "predict", request.page,
        html::scaling_page(figures, fmt::format("{}, predicted from measured rows. Shaded: an "
                                                "interval of {:.3g} %, where a form fits.",
                                                request.workload, 100 * request.level)));
  else if (format == "json")
    std::cout << json.dump(1) << "\n";
  return static_cast<int>(ExitCode::ok);
}

}  // namespace scalemark::cli
