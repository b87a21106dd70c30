// SPDX-License-Identifier: Apache-2.0
// `scalemark predict`: what a collective takes on many ranks, by simulation.
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
#include "common/cli/commands/topology_file.hpp"
#include "common/cli/numbers.hpp"
#include "common/predict/flows.hpp"
#include "common/predict/message_simulator.hpp"
#include "common/predict/schedule.hpp"

namespace scalemark::cli {
namespace {

struct PredictArguments {
  std::string algorithm, bytes = "0", loggps, topology, format = "text";
  int ranks = 0;
};

const NumberRule kBytesRule{NumberRule::Kind::bytes, 0, 0x1p40, false};

std::uint64_t bytes_of(const PredictArguments& options) {
  return static_cast<std::uint64_t>(kBytesRule.read(options.bytes).value());
}

/// ns until each rank has finished, rounded to whole ones.
std::vector<std::uint64_t> finish_times(const PredictArguments& options) {
  const predict::Schedule schedule =
      predict::make_schedule(options.algorithm, options.ranks, bytes_of(options));
  const predict::LogGops costs =
      options.loggps.empty() ? predict::LogGops{} : predict::parse_loggops(options.loggps);
  if (options.topology.empty()) return predict::simulate(schedule, costs);
  std::vector<std::uint64_t> times;
  for (const double ns : predict::simulate(schedule, costs, read_topology(options.topology)))
    times.push_back(static_cast<std::uint64_t>(ns + 0.5));
  return times;
}

int predict_command(const PredictArguments& options) {
  if (options.loggps.empty() && options.topology.empty())
    throw UsageError("--simulate needs the costs of a message: --loggps, --topology or both");
  const std::vector<std::uint64_t> times = finish_times(options);
  const std::uint64_t last = *std::ranges::max_element(times);
  if (options.format == "json") {
    std::cout << nlohmann::json{{"algorithm", options.algorithm},
                                {"ranks", options.ranks},
                                {"bytes", bytes_of(options)},
                                {"loggps", options.loggps},
                                {"topology", options.topology},
                                {"time_ns", last},
                                {"finish_ns", times}}
                     .dump()
              << "\n";
  } else {
    std::cout << last << "\n";
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PredictArguments>();
  CLI::App* command = app.add_subcommand(
      "predict", "Simulate a collective message by message, and print its time in ns");
  command->add_option("--simulate", options->algorithm, "Algorithm of the collective")
      ->required()
      ->check(CLI::IsMember(predict::algorithms()));
  take_number(command->add_option("--ranks", options->ranks, "Number of ranks")->required(),
              {NumberRule::Kind::integer, 1, predict::kMaxRanks, false});
  take_text_number(command->add_option(
                       "--bytes", options->bytes,
                       "Message size as OSU defines it: one rank's part of allgather and alltoall"),
                   kBytesRule)
      ->capture_default_str();
  command->add_option("--loggps", options->loggps,
                      "Costs of a message, in ns (S: bytes): L=2500,o=1500,g=1000,G=6,O=0,S=65535. "
                      "L latency, o CPU per message, g and G interface per message and byte, O CPU "
                      "per byte, S largest message that is sent before its receiver is ready");
  command->add_option("--topology", options->topology,
                      "TOML file of hosts and switches, whose links messages share");
  command
      ->add_option("--format", options->format, "text: one number; json: also each rank's finish")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = predict_command(*options); });
}

}  // namespace scalemark::cli
