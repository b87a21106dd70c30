// SPDX-License-Identifier: Apache-2.0
// Adds up the slowest rank and the messages of a step.
#include "common/cli/commands/predict_training.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/cli/commands/bound_by_ranks.hpp"
#include "common/cli/commands/missing_messages.hpp"
#include "common/cli/commands/page_file.hpp"
#include "common/cli/commands/predict_elsewhere.hpp"
#include "common/cli/commands/predict_rows.hpp"
#include "common/cli/commands/predict_targets.hpp"
#include "common/cli/commands/predict_training_rows.hpp"
#include "common/cli/commands/predict_training_step.hpp"
#include "common/cli/terminal.hpp"
#include "common/html/scaling_page.hpp"
#include "common/predict/conformal.hpp"
#include "common/stats/summary.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::cli {
namespace {

using nlohmann::ordered_json;

/// Whether messages are sent while the ranks compute.
bool overlaps(const TrainingRows& rows) { return rows.process_group != "mpi"; }

bool hides(const StepLine& line) { return line.hidden.value_or(0) > 0; }

/// What is known of messages that are sent while the ranks compute; empty if none are.
std::string overlap_note(const TrainingRows& rows, const std::vector<StepLine>& lines) {
  if (!overlaps(rows)) return {};
  const std::string group = text::printable(rows.process_group, 20);
  const auto line =
      std::ranges::find_if(lines, [](const StepLine& one) { return one.hidden.has_value(); });
  if (line != lines.end())
    return fmt::format(
        "hidden: what {} sends while the ranks compute, by the moments at which the training "
        "starts and needs messages. {}",
        group,
        line->overlap_ratio
            ? fmt::format("A step wins {:.0f} % of it, by rows of micro/overlap.",
                          100 * *line->overlap_ratio)
            : "A step is taken to win all of it: rows of micro/overlap would tell how much.");
  return fmt::format(
      "{} sends while the ranks compute, so that a step may be shorter: down to slowest.", group);
}

/// How far messages are predicted beyond their rows, on the most ranks asked for; empty if not far.
std::string reach_note(const std::vector<StepLine>& lines) {
  const auto& most = *std::ranges::max_element(lines, {}, &StepLine::ranks);
  return most.is_far() ? "Messages: " + most.farthest()->note() : std::string();
}

double error_of(const StepLine& line) { return line.step() / *line.measured - 1; }

/// The columns of message_cells().
std::vector<text::TextColumn> message_columns() {
  return {
      {.header = "of"}, {.header = "messages", .number = true}, {.header = "bytes", .number = true},
      {.header = "by"}, {.header = "time", .number = true},     {.header = "source"}};
}

std::vector<std::string> message_cells(const StepMessage& one) {
  return {one.component,
          std::to_string(one.count),
          units::bytes(static_cast<std::uint64_t>(one.bytes)),
          one.benchmark,
          units::seconds(one.total(), 4),
          one.time.source};
}

void print_messages(const StepLine& line) {
  fmt::print(std::cout, "communication on {} ranks:\n", line.ranks);
  std::vector<text::TextRow> table;
  for (const StepMessage& one : line.messages)
    table.push_back({.cells = message_cells(one), .color = {}});
  text::print_text_table(message_columns(), table, table_width(), std::cout);
}

/// The messages of a step, below the figure.
void add_messages(const StepLine& line, html::RanksFigure& figure) {
  for (const text::TextColumn& one : message_columns())
    figure.columns.push_back({one.header, one.number});
  for (const StepMessage& one : line.messages) figure.rows.push_back({message_cells(one), ""});
  figure.notes.push_back(
      fmt::format("The table has the messages of a step on {} ranks.", line.ranks));
}

bool is_bound(const StepLine& line) { return line.slowest.is_bound; }

bool is_far(const StepLine& line) { return line.is_far(); }

bool has_interval(const StepLine& line) { return line.interval.has_value(); }

/// What takes most of a step, over the ranks.
std::string bound_note(const std::vector<StepLine>& lines) {
  std::map<int, std::string> bounds;
  for (const StepLine& one : lines) bounds[one.ranks] = one.bound();
  return "What takes most of a step: " + bound_by_ranks(bounds) + ".";
}

/// What low and high are, or why there are none.
std::string interval_note(const TrainingRows& rows, const std::vector<StepLine>& lines,
                          const TrainingErrors& errors, double level) {
  if (rows.is_elsewhere)
    return "No interval: how far off steps on other machines are is not known.";
  const auto known = std::ranges::find_if(lines, has_interval);
  const StepLine& line = known == lines.end() ? lines.back() : *known;
  const std::size_t count = errors.count_for(line, rows.key);
  if (known != lines.end())
    return fmt::format(
        "low, high: hold {:.3g} % of such steps, by the errors of {} measured trainings, each "
        "predicted from the others.{}{}",
        100 * level, count,
        std::ranges::any_of(lines, is_bound) ? " A lower bound (>=) has none." : "",
        std::ranges::any_of(lines, is_far)
            ? " Nor have ranks farther from the rows than the forms were tested."
            : "");
  const std::size_t needed = predict::residuals_needed(level);
  if (count >= needed)
    return fmt::format("No {:.3g} % interval: {}.", 100 * level,
                       std::ranges::any_of(lines, is_bound)
                           ? "of the slowest rank only a lower bound is known (>=)"
                           : "the ranks are farther from the rows than the forms were tested");
  return fmt::format(
      "No {:.3g} % interval: it takes {} trainings that were measured and can be predicted from "
      "others; there {}.",
      100 * level, needed, count == 1 ? "is 1" : fmt::format("are {}", count));
}

void print_step_notes(const TrainingRows& rows, const std::vector<StepLine>& lines) {
  const StepLine& line = lines.back();
  fmt::print(std::cout,
             "computing: of one rank, from {} steps on {}. slowest: the median step of the slowest "
             "of so many ranks, each slow at random.\n",
             line.samples, text::counted(static_cast<std::size_t>(line.from_ranks), "rank"));
  if (rows.is_elsewhere)
    fmt::print(std::cout,
               "On the machine of --machine steps take {:.3g} times as long, as the rows of their "
               "operations. Messages are by rows of that machine.\n",
               line.factor);
  if (std::ranges::any_of(lines, is_bound))
    fmt::print(std::cout,
               ">=: so many ranks are slower than all measured steps in every second step; measure "
               "more steps.\n");
  for (const std::string& note :
       {overlap_note(rows, lines), reach_note(lines), bound_note(lines)}) {
    if (!note.empty()) fmt::print(std::cout, "{}\n", note);
  }
}

std::string seconds_or_none(const std::optional<double>& seconds) {
  return seconds ? units::seconds(*seconds, 4) : "-";
}

text::TextRow row_of(const StepLine& line, bool with_interval, bool with_hidden) {
  const char* const bound = line.slowest.is_bound ? ">= " : "";
  std::vector<std::string> cells{std::to_string(line.ranks),
                                 bound + units::seconds(line.step(), 4)};
  if (with_interval) {
    const bool known = has_interval(line);
    cells.push_back(known ? units::seconds(line.interval->first, 4) : "-");
    cells.push_back(known ? units::seconds(line.interval->second, 4) : "-");
  }
  for (const std::string& cell :
       {units::seconds(line.computing, 4), bound + units::seconds(line.slowest.median, 4),
        units::seconds(line.communication(), 4)})
    cells.push_back(cell);
  if (with_hidden) cells.push_back(seconds_or_none(line.hidden));
  cells.push_back(seconds_or_none(line.measured));
  cells.push_back(line.measured ? units::percent_change(1 + error_of(line)) : "-");
  return {.cells = std::move(cells), .color = {}};
}

void print_steps(const TrainingRows& rows, const std::vector<StepLine>& lines,
                 const TrainingErrors& errors, double level) {
  fmt::print(std::cout, "{}\n", text::printable(rows.key, 400));
  const bool with_interval = std::ranges::any_of(lines, has_interval);
  std::vector<std::string> headers{"ranks", "step"};
  if (with_interval) headers.insert(headers.end(), {"low", "high"});
  headers.insert(headers.end(), {"computing", "slowest", "communication"});
  const bool with_hidden = std::ranges::any_of(lines, hides);
  if (with_hidden) headers.emplace_back("hidden");
  headers.insert(headers.end(), {"measured", "error"});
  std::vector<text::TextColumn> columns;
  for (const std::string& header : headers) columns.push_back({.header = header, .number = true});
  std::vector<text::TextRow> table;
  for (const StepLine& one : lines) table.push_back(row_of(one, with_interval, with_hidden));
  text::print_text_table(columns, table, table_width(), std::cout);
  print_step_notes(rows, lines);
  fmt::print(std::cout, "{}\n", interval_note(rows, lines, errors, level));
  if (!lines.back().messages.empty()) print_messages(lines.back());
}

ordered_json json_of_step(const TrainingRows& rows, const StepLine& line, double level) {
  const bool known = has_interval(line);
  ordered_json messages = ordered_json::array();
  for (const StepMessage& one : line.messages)
    messages.push_back({{"component", one.component},
                        {"benchmark", one.benchmark},
                        {"count", one.count},
                        {"bytes", one.bytes},
                        {"seconds", text::json_number(one.time.seconds)},
                        {"source", one.time.source}});
  const RankReach* const reach = line.farthest();
  return {
      {"series", text::json_text(rows.key)},
      {"ranks", line.ranks},
      {"step", text::json_number(line.step())},
      {"low", known ? text::json_number(line.interval->first) : ordered_json()},
      {"high", known ? text::json_number(line.interval->second) : ordered_json()},
      {"level", known ? ordered_json(level) : ordered_json()},
      {"computing", text::json_number(line.computing)},
      {"slowest", text::json_number(line.slowest.median)},
      {"slowest_mean", text::json_number(line.slowest.mean)},
      {"is_bound", line.slowest.is_bound},
      {"bound_by", line.bound()},
      {"communication", text::json_number(line.communication())},
      {"overlaps", overlaps(rows)},
      {"hidden", line.hidden ? text::json_number(*line.hidden) : ordered_json()},
      {"overlap_ratio",
       line.overlap_ratio ? text::json_number(*line.overlap_ratio) : ordered_json()},
      {"from_ranks", line.from_ranks},
      {"factor", rows.is_elsewhere ? text::json_number(line.factor) : ordered_json()},
      {"samples", line.samples},
      {"measured", line.measured ? text::json_number(*line.measured) : ordered_json()},
      {"beyond_measured_ranks", reach == nullptr ? ordered_json() : ordered_json(reach->beyond)},
      {"messages", messages}};
}

/// The step, and what it consists of, on each number of ranks.
html::RanksFigure figure_of(const TrainingRows& rows, const std::vector<StepLine>& lines) {
  html::RanksLine step{"step", {}, {}}, slowest{"slowest rank, computing", {}, {}},
      communication{"communication", {}, {}};
  html::RanksFigure figure{rows.key, {}, {}, {}, {}};
  for (const StepLine& one : lines) {
    const auto ranks = static_cast<double>(one.ranks);
    step.predicted.push_back({ranks, one.step()});
    if (has_interval(one)) {
      step.predicted.back().low = one.interval->first;
      step.predicted.back().high = one.interval->second;
    }
    slowest.predicted.push_back({ranks, one.slowest.median});
    if (one.ranks > 1) communication.predicted.push_back({ranks, one.communication()});
  }
  for (const auto& [ranks, measured] : rows.by_ranks) {
    if (!measured.step.empty())
      step.measured.push_back({static_cast<double>(ranks), stats::median(measured.step)});
  }
  figure.lines = {std::move(step), std::move(slowest), std::move(communication)};
  if (!lines.back().messages.empty()) add_messages(lines.back(), figure);
  figure.notes.push_back(bound_note(lines));
  const auto bound = std::ranges::find_if(lines, is_bound);
  if (bound != lines.end())
    figure.notes.push_back(
        fmt::format("From {} on, the slowest is a lower bound: more measured steps are needed.",
                    text::counted(static_cast<std::size_t>(bound->ranks), "rank")));
  for (const std::string& note : {overlap_note(rows, lines), reach_note(lines)}) {
    if (!note.empty()) figure.notes.push_back(note);
  }
  return figure;
}

int no_training(const RowPrediction& request, const RowTargets& targets) {
  fmt::print(stderr,
             "scalemark predict: the files of --from have no row of {} to start from. Needed: the "
             "same training on another number of ranks than is asked for; on GPUs, on one rank. To "
             "measure it:\n"
             "  mpirun -n 1 scalemark run '^{}$' -a ranks=1{} -o training.h5\n",
             request.workload, request.workload, targets.options());
  return static_cast<int>(ExitCode::nothing);
}

}  // namespace

const Benchmark* training_named(const std::string& workload) {
  const Benchmark* found = Registry::instance().find(workload);
  return found != nullptr && found->has_communication() ? found : nullptr;
}

int predict_training(const RowPrediction& request, const Benchmark& benchmark,
                     const std::string& format) {
  const RowTargets targets = targets_of(request, 1);
  const bool elsewhere = !request.machine.empty();
  Collectives collectives(elsewhere ? request.machine : request.files);
  MissingSizes missing;
  ordered_json json = ordered_json::array();
  std::vector<html::RanksFigure> figures;
  bool found_any = false, is_first = true;
  std::vector<TrainingRows> all = read_training_rows(request.files, benchmark);
  std::erase_if(all, [&](const TrainingRows& rows) {
    return elsewhere && !has_words(rows.point, targets.words);
  });
  const bool lacks_rows = elsewhere && !move_elsewhere(request, targets.ranks, all);
  const TrainingErrors errors(elsewhere ? std::vector<TrainingRows>() : all, benchmark,
                              collectives);
  for (const TrainingRows& rows : all) {
    if (!has_words(rows.point, targets.words)) continue;
    std::vector<StepLine> lines;
    for (const std::int64_t ranks : targets.ranks) {
      if (const auto line =
              predict_step(rows, benchmark, static_cast<int>(ranks), collectives, missing))
        lines.push_back(*line);
    }
    if (lines.empty()) continue;
    for (StepLine& line : lines) errors.add_interval(line, rows.key, request.level);
    found_any = true;
    if (!request.page.empty()) {
      figures.push_back(figure_of(rows, lines));
      continue;
    }
    if (format == "json") {
      for (const StepLine& one : lines) json.push_back(json_of_step(rows, one, request.level));
      continue;
    }
    if (!std::exchange(is_first, false)) std::cout << "\n";
    print_steps(rows, lines, errors, request.level);
  }
  if (!found_any && missing.empty() && !lacks_rows) return no_training(request, targets);
  if (!figures.empty())
    write_page("predict", request.page,
               html::scaling_page(
                   figures, request.workload + ", predicted from measured steps and messages."));
  else if (format == "json")
    std::cout << json.dump(1) << "\n";
  if (missing.empty()) return static_cast<int>(lacks_rows ? ExitCode::nothing : ExitCode::ok);
  print_missing_messages("predict", missing, elsewhere ? " in the files of --machine" : "");
  return static_cast<int>(ExitCode::nothing);
}

}  // namespace scalemark::cli
