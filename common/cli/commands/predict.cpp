// SPDX-License-Identifier: Apache-2.0
// `scalemark predict`: what a collective takes on many ranks, by simulation or from measured rows.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/number.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/page_file.hpp"
#include "common/cli/commands/predict_from_rows.hpp"
#include "common/cli/commands/predict_machine.hpp"
#include "common/cli/commands/predict_training.hpp"
#include "common/cli/commands/topology_file.hpp"
#include "common/cli/numbers.hpp"
#include "common/predict/flows.hpp"
#include "common/predict/message_simulator.hpp"
#include "common/predict/schedule.hpp"

namespace scalemark::cli {
namespace {

struct PredictArguments {
  std::string algorithm, bytes = "0", loggps, topology, distribution = "block", format = "text";
  int ranks = 0;
  RowPrediction from_rows;
};

const NumberRule kBytesRule{NumberRule::Kind::bytes, 0, 0x1p40, false};

std::uint64_t bytes_of(const PredictArguments& options) {
  return static_cast<std::uint64_t>(kBytesRule.read(options.bytes).value());
}

/// ns until each rank has finished, rounded to whole ones.
std::vector<std::uint64_t> finish_times(const predict::Schedule& schedule,
                                        const PredictArguments& options) {
  const predict::LogGops costs =
      options.loggps.empty() ? predict::LogGops{} : predict::parse_loggops(options.loggps);
  if (options.topology.empty()) return predict::simulate(schedule, costs);
  predict::Network network = read_topology(options.topology);
  if (options.distribution == "cyclic") network.distribute_cyclically();
  std::vector<std::uint64_t> times;
  for (const double ns : predict::simulate(schedule, costs, network))
    times.push_back(static_cast<std::uint64_t>(ns + 0.5));
  return times;
}

int simulate_command(const PredictArguments& options) {
  if (options.ranks == 0) throw UsageError("--simulate needs --ranks");
  if (options.loggps.empty() && options.topology.empty())
    throw UsageError("--simulate needs the costs of a message: --loggps, --topology or both");
  const predict::Schedule schedule =
      predict::make_schedule(options.algorithm, options.ranks, bytes_of(options));
  const std::vector<std::uint64_t> times = finish_times(schedule, options);
  const std::uint64_t last = *std::ranges::max_element(times);
  if (options.format == "json") {
    std::cout << nlohmann::json{{"algorithm", options.algorithm},
                                {"ranks", options.ranks},
                                {"bytes", bytes_of(options)},
                                {"loggps", options.loggps},
                                {"topology", options.topology},
                                {"distribution", options.distribution},
                                {"messages", predict::messages_of(schedule)},
                                {"time_ns", last},
                                {"finish_ns", times}}
                     .dump()
              << "\n";
  } else {
    std::cout << last << "\n";
  }
  return static_cast<int>(ExitCode::ok);
}

int predict_command(const PredictArguments& options) {
  if (!options.algorithm.empty()) return simulate_command(options);
  if (!options.from_rows.page.empty()) {
    if (options.format != "text")
      throw UsageError("--output writes a page, and --format prints: give one of them");
    check_page_file(options.from_rows.page, options.from_rows.force);
  }
  if (options.from_rows.files.empty())
    throw UsageError("predict needs --simulate ALGORITHM, or --from FILE... --workload NAME");
  const Benchmark* training = training_named(options.from_rows.workload);
  if (!options.from_rows.machine.empty()) {
    if (training == nullptr) throw UsageError("--machine needs the --workload of a training");
    return predict_on_machine(options.from_rows, *training, options.format);
  }
  if (training != nullptr) return predict_training(options.from_rows, *training, options.format);
  return predict_from_rows(options.from_rows, options.format);
}

/// Options of `--simulate`.
void add_simulation(CLI::App& command, PredictArguments& options) {
  CLI::Option* simulate =
      command.add_option("--simulate", options.algorithm, "Algorithm of the collective")
          ->check(CLI::IsMember(predict::algorithms()));
  take_number(command.add_option("--ranks", options.ranks, "Number of ranks"),
              {NumberRule::Kind::integer, 1, predict::kMaxRanks, false})
      ->needs(simulate);
  take_text_number(command.add_option(
                       "--bytes", options.bytes,
                       "Message size as OSU defines it: one rank's part of allgather and alltoall"),
                   kBytesRule)
      ->needs(simulate)
      ->capture_default_str();
  command
      .add_option(
          "--loggps", options.loggps,
          "Costs of a message, in ns (S: bytes), as L=2500,o=1500,g=1000,G=6,O=0,S=65535; what "
          "is left out is 0, S without limit. L latency, o CPU per message, g and G interface per "
          "message and byte, O CPU per byte, S largest message that is sent before its receiver is "
          "ready")
      ->needs(simulate);
  CLI::Option* topology =
      command
          .add_option("--topology", options.topology,
                      "TOML file of hosts and switches, whose links messages share")
          ->needs(simulate);
  command
      .add_option("--distribution", options.distribution,
                  "How ranks are placed, as Slurm does: all of a host one after the other (block), "
                  "or one on each host in turn (cyclic)")
      ->check(CLI::IsMember({"block", "cyclic"}))
      ->needs(topology)
      ->capture_default_str();
}

/// Options of `--from`.
void add_rows(CLI::App& command, PredictArguments& options) {
  RowPrediction& rows = options.from_rows;
  CLI::Option* from =
      command
          .add_option("--from", rows.files,
                      "Result files. Of a collective: rows on at least two numbers "
                      "of ranks. Of a training: its steps, and the collectives that a step uses")
          ->excludes("--simulate");
  CLI::Option* workload = command
                              .add_option("--workload", rows.workload,
                                          "What to predict: micro/allreduce, imaging/train, ...")
                              ->needs(from);
  from->needs(workload);
  command
      .add_option("-a,--axis", rows.axes,
                  "ranks=64,128: numbers of ranks to predict for (needed without -o or --machine); "
                  "bytes=1M (default: all measured sizes); any other axis=value chooses the "
                  "measured rows to start from")
      ->needs(from)
      ->allow_extra_args(false);
  CLI::Option* machine =
      command
          .add_option(
              "--machine", rows.machine,
              "Result files of another machine: predict the step there, without an interval. Needs "
              "rows of the training's operations there, for other ranks of its collectives, too")
          ->needs(from);
  CLI::Option* page =
      command
          .add_option("-o,--output", rows.page,
                      "Instead of text, an HTML page of times over ranks (default: up to 4096)")
          ->needs(from);
  command.add_flag("--force", rows.force, "Replace an earlier page")->needs(page);
  take_number(command.add_option("--level", rows.level, "Probability that an interval holds"),
              {NumberRule::Kind::real, 0.5, 0.99, false})
      ->needs(from)
      ->excludes(machine)
      ->capture_default_str();
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PredictArguments>();
  CLI::App* command = app.add_subcommand(
      "predict", "Predict collectives and training steps, from rows or by simulation");
  add_simulation(*command, *options);
  add_rows(*command, *options);
  command
      ->add_option("--format", options->format,
                   "text, or json: also each rank's finish, or the rows used")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = predict_command(*options); });
}

}  // namespace scalemark::cli
