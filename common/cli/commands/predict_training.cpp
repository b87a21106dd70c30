// SPDX-License-Identifier: Apache-2.0
// Adds up the slowest rank and the messages of a step.
#include "common/cli/commands/predict_training.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/cli/commands/page_file.hpp"
#include "common/cli/commands/predict_collective.hpp"
#include "common/cli/commands/predict_rows.hpp"
#include "common/cli/commands/predict_training_rows.hpp"
#include "common/cli/terminal.hpp"
#include "common/html/scaling_page.hpp"
#include "common/predict/noise_at_scale.hpp"
#include "common/stats/summary.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::cli {
namespace {

using nlohmann::ordered_json;

/// Messages of a step that are alike, and what the time of one is from.
struct StepMessage {
  std::string component, benchmark;
  std::int64_t count = 1;
  double bytes = 0, seconds = 0;
  std::string source;  ///< "measured", or the form of the collective

  double total() const { return static_cast<double>(count) * seconds; }
};

struct StepLine {
  int ranks = 0, from_ranks = 0;
  std::size_t samples = 0;  ///< steps of ranks
  double computing = 0;     ///< s, the median of a rank
  predict::Slowest slowest;
  std::vector<StepMessage> messages;
  std::optional<double> measured;

  double communication() const {
    double sum = 0;
    for (const StepMessage& one : messages) sum += one.total();
    return sum;
  }
  /// With all messages after the computation.
  double step() const { return slowest.median + communication(); }
};

/// What a prediction lacks: sizes, by collective.
using MissingSizes = std::map<CollectiveName, std::set<std::int64_t>>;

/// The rows of a message. The process group of MPI starts nonblocking operations, for which
/// libraries have algorithms of their own.
CollectiveName collective_of(const TrainingRows& rows, const WorkloadPart& message) {
  const bool on_gpu = rows.point.text("device", "cpu") == "cuda";
  std::vector<std::string> words{"backend=" + rows.process_group,
                                 std::string("memory=") + (on_gpu ? "device" : "host")};
  if (rows.process_group == "mpi") words.emplace_back("call=nonblocking");
  for (const auto& [axis, value] : message.point) {
    if (axis != "bytes") words.push_back(axis + "=" + to_text(value));
  }
  return {message.benchmark, std::move(words)};
}

/// The measured number of ranks to start from: the largest below `ranks`, else the smallest.
const std::pair<const int, MeasuredTraining>* start_for(const TrainingRows& rows, int ranks) {
  const std::pair<const int, MeasuredTraining>* start = nullptr;
  for (const auto& one : rows.by_ranks) {
    if (one.first == ranks || one.second.local.empty()) continue;
    if (start == nullptr || one.first < ranks) start = &one;
  }
  return start;
}

/// Nothing where a training to start from is missing, or rows of messages, which go to `missing`.
std::optional<StepLine> predict_step(const TrainingRows& rows, const Benchmark& benchmark,
                                     int ranks, Collectives& collectives, MissingSizes& missing) {
  const auto* const start = start_for(rows, ranks);
  if (start == nullptr) return std::nullopt;
  const predict::PooledTimes times(start->second.local);
  StepLine line{.ranks = ranks,
                .from_ranks = start->first,
                .samples = times.size(),
                .computing = times.slowest_of(1).median,
                .slowest = times.slowest_of(ranks),
                .messages = {},
                .measured = {}};
  Point point = rows.point;
  point["ranks"] = std::int64_t{ranks};
  const Workload messages = benchmark.communication_for(point);
  for (const WorkloadPart& part : messages) {
    const CollectiveName name = collective_of(rows, part);
    const std::int64_t bytes = part.point.integer("bytes");
    const auto found = collectives.of(name).time(static_cast<double>(bytes), ranks);
    if (!found)
      missing[name].insert(bytes);
    else
      line.messages.push_back({part.component, part.benchmark, part.count,
                               static_cast<double>(bytes), found->first, found->second});
  }
  if (line.messages.size() < messages.size()) return std::nullopt;
  if (const auto own = rows.by_ranks.find(ranks); own != rows.by_ranks.end())
    line.measured = stats::median(own->second.step);
  return line;
}

/// Whether messages are sent while the ranks compute.
bool overlaps(const TrainingRows& rows) { return rows.process_group != "mpi"; }

double error_of(const StepLine& line) { return line.step() / *line.measured - 1; }

void print_messages(const StepLine& line) {
  fmt::print(std::cout, "communication on {} ranks:\n", line.ranks);
  const std::vector<text::TextColumn> columns{
      {.header = "of"}, {.header = "messages", .number = true}, {.header = "bytes", .number = true},
      {.header = "by"}, {.header = "time", .number = true},     {.header = "source"}};
  std::vector<text::TextRow> table;
  for (const StepMessage& one : line.messages)
    table.push_back({.cells = {one.component, std::to_string(one.count),
                               units::bytes(static_cast<std::uint64_t>(one.bytes)), one.benchmark,
                               units::seconds(one.total(), 4), one.source},
                     .color = {}});
  text::print_text_table(columns, table, table_width(), std::cout);
}

void print_step_notes(const TrainingRows& rows, const std::vector<StepLine>& lines) {
  const StepLine& line = lines.back();
  fmt::print(std::cout,
             "computing: of one rank, from {} steps on {}. slowest: the median step of the slowest "
             "of so many ranks, each slow at random.\n",
             line.samples, text::counted(static_cast<std::size_t>(line.from_ranks), "rank"));
  if (std::ranges::any_of(lines, [](const StepLine& one) { return one.slowest.is_bound; }))
    fmt::print(std::cout,
               ">=: so many ranks are slower than all measured steps in every second step; measure "
               "more steps.\n");
  if (overlaps(rows))
    fmt::print(
        std::cout,
        "{} sends while the ranks compute, so that a step may be shorter: down to slowest.\n",
        text::printable(rows.process_group, 20));
  if (!line.messages.empty()) print_messages(line);
}

void print_steps(const TrainingRows& rows, const std::vector<StepLine>& lines) {
  fmt::print(std::cout, "{}\n", text::printable(rows.key, 400));
  std::vector<text::TextColumn> columns;
  for (const char* header :
       {"ranks", "step", "computing", "slowest", "communication", "measured", "error"})
    columns.push_back({.header = header, .number = true});
  std::vector<text::TextRow> table;
  for (const StepLine& one : lines) {
    const char* const bound = one.slowest.is_bound ? ">= " : "";
    table.push_back(
        {.cells = {std::to_string(one.ranks), bound + units::seconds(one.step(), 4),
                   units::seconds(one.computing, 4), bound + units::seconds(one.slowest.median, 4),
                   units::seconds(one.communication(), 4),
                   one.measured ? units::seconds(*one.measured, 4) : "-",
                   one.measured ? fmt::format("{:+.1f} %", 100 * error_of(one)) : "-"},
         .color = {}});
  }
  text::print_text_table(columns, table, table_width(), std::cout);
  print_step_notes(rows, lines);
}

ordered_json json_of_step(const TrainingRows& rows, const StepLine& line) {
  ordered_json messages = ordered_json::array();
  for (const StepMessage& one : line.messages)
    messages.push_back({{"component", one.component},
                        {"benchmark", one.benchmark},
                        {"count", one.count},
                        {"bytes", one.bytes},
                        {"seconds", text::json_number(one.seconds)},
                        {"source", one.source}});
  return {{"series", text::json_text(rows.key)},
          {"ranks", line.ranks},
          {"step", text::json_number(line.step())},
          {"computing", text::json_number(line.computing)},
          {"slowest", text::json_number(line.slowest.median)},
          {"slowest_mean", text::json_number(line.slowest.mean)},
          {"is_bound", line.slowest.is_bound},
          {"communication", text::json_number(line.communication())},
          {"overlaps", overlaps(rows)},
          {"from_ranks", line.from_ranks},
          {"samples", line.samples},
          {"measured", line.measured ? text::json_number(*line.measured) : ordered_json()},
          {"messages", messages}};
}

/// The step, and what it consists of, on each number of ranks.
html::RanksFigure figure_of(const TrainingRows& rows, const std::vector<StepLine>& lines) {
  html::RanksLine step{"step", {}, {}}, slowest{"slowest rank, computing", {}, {}},
      communication{"communication", {}, {}};
  std::optional<int> bound_from;
  html::RanksFigure figure{rows.key, {}, {}, {}, {}};
  for (const StepLine& one : lines) {
    const auto ranks = static_cast<double>(one.ranks);
    step.predicted.push_back({ranks, one.step()});
    slowest.predicted.push_back({ranks, one.slowest.median});
    communication.predicted.push_back({ranks, one.communication()});
    if (!bound_from && one.communication() > one.slowest.median) bound_from = one.ranks;
  }
  for (const auto& [ranks, measured] : rows.by_ranks)
    step.measured.push_back({static_cast<double>(ranks), stats::median(measured.step)});
  figure.lines = {std::move(step), std::move(slowest), std::move(communication)};
  figure.notes.push_back(
      bound_from ? fmt::format("From {} ranks on communication takes longer than the slowest rank "
                               "computes.",
                               *bound_from)
                 : "The computation of the slowest rank bounds the step on all of these ranks.");
  const auto bound =
      std::ranges::find_if(lines, [](const StepLine& one) { return one.slowest.is_bound; });
  if (bound != lines.end())
    figure.notes.push_back(fmt::format(
        "From {} ranks on the slowest is a lower bound: more measured steps are needed.",
        bound->ranks));
  if (overlaps(rows))
    figure.notes.push_back(rows.process_group +
                           " sends while the ranks compute, so that a step may be shorter, down to "
                           "the slowest rank.");
  return figure;
}

void print_missing_messages(const MissingSizes& missing) {
  fmt::print(
      stderr,
      "scalemark predict: rows of the messages of a step are missing. To measure them on two "
      "numbers of ranks or more:\n");
  std::size_t number = 0;
  for (const auto& [collective, sizes] : missing) {
    std::vector<std::string> bytes;
    for (const std::int64_t one : sizes) bytes.push_back(std::to_string(one));
    fmt::print(stderr,
               "  mpirun -n 8 scalemark run '^{}$' -a ranks=2,4,8 -a {} -a bytes={} -o "
               "messages-{}.h5\n",
               collective.first, text::join(collective.second, " -a "), text::join(bytes, ","),
               ++number);
  }
}

int no_training(const RowPrediction& request) {
  fmt::print(stderr,
             "scalemark predict: no row of {} there to start from: one of another number of ranks "
             "than is asked for, on GPUs of one rank. To measure it:\n"
             "  mpirun -n 1 scalemark run '^{}$' -a ranks=1 -o training.h5\n",
             request.workload, request.workload);
  return static_cast<int>(ExitCode::nothing);
}

}  // namespace

const Benchmark* training_named(const std::string& workload) {
  const Benchmark* found = Registry::instance().find(workload);
  return found != nullptr && found->has_communication() ? found : nullptr;
}

int predict_training(const RowPrediction& request, const Benchmark& benchmark,
                     const std::string& format) {
  const RowTargets targets = targets_of(request);
  if (!targets.bytes.empty()) throw UsageError("-a bytes=... is for collectives only");
  Collectives collectives(request.files);
  MissingSizes missing;
  ordered_json json = ordered_json::array();
  std::vector<html::RanksFigure> figures;
  bool found_any = false, is_first = true;
  const std::vector<TrainingRows> all = read_training_rows(request.files, benchmark, targets.words);
  for (const TrainingRows& rows : all) {
    std::vector<StepLine> lines;
    for (const std::int64_t ranks : targets.ranks) {
      if (const auto line =
              predict_step(rows, benchmark, static_cast<int>(ranks), collectives, missing))
        lines.push_back(*line);
    }
    if (lines.empty()) continue;
    found_any = true;
    if (!request.page.empty()) {
      figures.push_back(figure_of(rows, lines));
      continue;
    }
    if (format == "json") {
      for (const StepLine& one : lines) json.push_back(json_of_step(rows, one));
      continue;
    }
    if (!std::exchange(is_first, false)) std::cout << "\n";
    print_steps(rows, lines);
  }
  if (!found_any && missing.empty()) return no_training(request);
  if (!figures.empty())
    write_page("predict", request.page,
               html::scaling_page(
                   figures, request.workload + ", predicted from measured steps and messages."));
  else if (format == "json")
    std::cout << json.dump(1) << "\n";
  if (missing.empty()) return static_cast<int>(ExitCode::ok);
  print_missing_messages(missing);
  return static_cast<int>(ExitCode::nothing);
}

}  // namespace scalemark::cli
