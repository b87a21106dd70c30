// SPDX-License-Identifier: Apache-2.0
// `scalemark plan`: what a job of these cases will cost and show, before it is submitted.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/missing_messages.hpp"
#include "common/cli/commands/plan_predictions.hpp"
#include "common/cli/commands/read_digest.hpp"
#include "common/cli/commands/run_options.hpp"
#include "common/cli/commands/same_machine.hpp"
#include "common/cli/numbers.hpp"
#include "common/cli/terminal.hpp"
#include "common/compare/planning/job_plan.hpp"
#include "common/compare/print/planning.hpp"

namespace scalemark::cli {
namespace {

/// Ranks that a job can be planned for.
constexpr int kMostPlannedRanks = 1 << 20;

struct PlanArguments {
  RunOptions cases;
  std::vector<std::string> files;
  std::optional<int> ranks, ranks_per_node, threads;
  std::optional<bool> gpu;
  std::vector<int> runs = {3, 5, 10};
  double effect_percent = 5;
  std::string format = "text";
};

/// What a job is started with, as far as it shapes the plan.
struct Job {
  compare::JobShape shape;
  int threads = 1;
  bool gpu = false;

  int nodes() const { return shape.nodes_for(shape.ranks); }
};

/// The value that axis `threads` most often has among the planned cases.
int threads_of(const Run& run) {
  std::map<std::int64_t, int> counts;
  for (const std::string& key : run.planned) {
    for (const std::string& word : text::split(key, ' ')) {
      if (!word.starts_with("threads=")) continue;
      if (const auto threads = text::parse_integer(word.substr(8))) ++counts[*threads];
    }
  }
  if (counts.empty()) return 1;
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return static_cast<int>(std::clamp<std::int64_t>(most->first, 1, kMostPlannedRanks));
}

/// The job that made a run.
Job job_of(const Run& run) {
  std::map<std::string, int> on_node;
  for (const RankInfo& rank : run.ranks) ++on_node[rank.node];
  Job job;
  job.threads = threads_of(run);
  if (run.ranks.empty()) return job;
  job.shape.ranks = static_cast<int>(run.ranks.size());
  job.shape.ranks_per_node =
      std::ranges::max_element(on_node, {}, [](const auto& one) { return one.second; })->second;
  job.gpu =
      std::ranges::none_of(run.ranks, [](const RankInfo& rank) { return rank.gpu_model.empty(); });
  return job;
}

/// Options win over the earlier job. Without either all ranks are on one node.
Job planned_job(const PlanArguments& options, const std::optional<Job>& earlier) {
  Job job = earlier.value_or(Job());
  if (options.ranks) job.shape.ranks = *options.ranks;
  if (options.ranks_per_node)
    job.shape.ranks_per_node = *options.ranks_per_node;
  else if (!earlier)
    job.shape.ranks_per_node = job.shape.ranks;
  if (options.ranks_per_node > job.shape.ranks)
    throw UsageError(fmt::format(
        "--ranks-per-node is {}, and the job has {}; allowed: at most the --ranks",
        *options.ranks_per_node, text::counted(static_cast<std::size_t>(job.shape.ranks), "rank")));
  job.shape.ranks_per_node = std::min(job.shape.ranks_per_node, job.shape.ranks);
  if (options.threads) job.threads = *options.threads;
  if (options.gpu) job.gpu = *options.gpu;
  return job;
}

/// The cases that such a job measures. `others` counts those that it skips.
std::vector<PlannedCase> planned_cases(const PlanArguments& options, const Job& job,
                                       std::size_t& others) {
  std::vector<PlannedCase> plan = make_plan(
      Registry::instance(), plan_request(options.cases),
      {.ranks = job.shape.ranks, .threads = job.threads, .cuda_usable = job.gpu, .direct = {}});
  others = std::erase_if(
      plan, [&](const PlannedCase& planned) { return !can_run(planned, job.shape.ranks); });
  return plan;
}

compare::JobCase job_case(const PlannedCase& planned, int sweeps) {
  compare::JobCase one{.key = text::printable(planned.key),
                       .memory = planned.benchmark->memory_for(planned.params),
                       .longest = longest_sampling(planned)};
  if (one.longest) *one.longest *= sweeps;
  return one;
}

/// Cases that no run measured are predicted where rows of others tell them.
std::vector<compare::JobCase> job_cases(const PlanArguments& options, const Job& job,
                                        const std::vector<PlannedCase>& plan,
                                        const CostedRuns& earlier) {
  CasePredictions predictions(options.files, earlier.costs, job.shape);
  std::vector<compare::JobCase> cases;
  for (const PlannedCase& planned : plan) {
    compare::JobCase one = job_case(planned, options.cases.sweeps);
    const bool is_known = std::ranges::any_of(
        earlier.runs, [&](const compare::RunDigest& run) { return run.rows.contains(one.key); });
    if (!is_known && !earlier.runs.empty()) predictions.add(planned, one);
    cases.push_back(std::move(one));
  }
  if (!predictions.missing_messages().empty())
    print_missing_messages("plan", predictions.missing_messages(), " to predict trainings");
  return cases;
}

int plan_command(PlanArguments options) {
  check_case_options(options.cases);
  std::optional<Job> earlier;
  SameMachine machine;
  const CostedRuns runs = read_costed_runs({options.files.begin(), options.files.end()},
                                           [&](const std::filesystem::path& file, const Run& run) {
                                             machine.expect(file, run);
                                             if (!earlier) earlier = job_of(run);
                                           });
  const Job job = planned_job(options, earlier);
  std::size_t others = 0;
  const std::vector<compare::JobCase> cases =
      job_cases(options, job, planned_cases(options, job, others), runs);
  const compare::JobPlan plan = compare::plan_job(cases, runs.runs, runs.costs,
                                                  {.nodes = job.nodes(),
                                                   .runs = options.runs,
                                                   .effect = options.effect_percent / 100,
                                                   .compare = {}});
  compare::print_job_plan(plan, job.shape, options.format, std::cout, {.width = table_width()});
  if (others > 0)
    fmt::print(stderr, "scalemark plan: {} left out, which such a job cannot run\n",
               text::counted(others, "case"));
  const bool knows_some = std::ranges::any_of(plan.rows, [](const compare::JobRow& row) {
    return row.measured || row.planned.predicted.has_value();
  });
  return static_cast<int>(plan.rows.empty() || (!options.files.empty() && !knows_some)
                              ? ExitCode::nothing
                              : ExitCode::ok);
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanArguments>();
  CLI::App* command =
      app.add_subcommand("plan", "What a job costs and shows, before it is submitted");
  add_case_options(*command, options->cases);
  add_sampling_options(*command, options->cases);
  take_number(
      command->add_option("--sweeps", options->cases.sweeps, "As of run: sweeps of the job"),
      {NumberRule::Kind::integer, 1, 1000, false})
      ->capture_default_str();
  command->add_option("--from", options->files,
                      "Earlier runs, on the same machine: files or folders. Their times, figures "
                      "and noise are used, and their job unless options say otherwise");
  const NumberRule count{NumberRule::Kind::integer, 1, kMostPlannedRanks, false};
  take_number(command->add_option("--ranks", options->ranks, "Ranks of the job (default: 1)"),
              count);
  take_number(command->add_option("--ranks-per-node", options->ranks_per_node,
                                  "Ranks on a node (default: all)"),
              count);
  take_number(command->add_option("--threads", options->threads, "Cores of a rank (default: 1)"),
              count);
  command->add_flag("--gpu,!--no-gpu", options->gpu, "Each rank has a GPU");
  CLI::Option* runs =
      command->add_option("--runs", options->runs, "Numbers of runs per side, separated by commas");
  take_number(runs, {NumberRule::Kind::integer, 2, 1000, false});
  runs->delimiter(',')->allow_extra_args(false)->capture_default_str();
  take_number(command->add_option("--effect", options->effect_percent,
                                  "Change in percent that should be found"),
              {NumberRule::Kind::percent, 0.001, 10000, false})
      ->capture_default_str();
  command->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember(compare::plan_formats()))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = plan_command(*options); });
}

}  // namespace scalemark::cli
