// SPDX-License-Identifier: Apache-2.0
// `scalemark run`: options, and the way from them to a result file.
#include <filesystem>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/cli/commands.hpp"
#include "common/cli/probe.hpp"
#include "common/cli/run_options.hpp"
#include "common/cli/terminal.hpp"
#include "common/core/collect_env.hpp"
#include "common/core/preset.hpp"
#include "common/core/runner.hpp"
#include "common/core/system_facts.hpp"
#include "common/mpi/environment.hpp"
#include "common/report/printer.hpp"
#include "common/report/progress.hpp"
#include "common/store/writer.hpp"

namespace scalemark::cli {
namespace {

/// Every rank must have made the same plan, or they would wait for each other in different cases.
void check_same_plan(const mpi::Comm& world, const std::vector<PlannedCase>& plan,
                     const RunOptions& options) {
  std::string hash = plan_hash(plan);
  if (options.sweeps > 1) hash += fmt::format(" {} {}", options.sweeps, options.seed);
  const std::vector<std::string> hashes = world.all_gather(hash);
  for (std::size_t rank = 1; rank < hashes.size(); ++rank) {
    if (hashes[rank] != hashes[0]) {
      throw UsageError(
          fmt::format("rank {} made another plan than rank 0: are options, presets and builds "
                      "equal on all nodes?",
                      rank));
    }
  }
}

std::string in_sweeps(int sweeps) { return sweeps > 1 ? fmt::format(" in {} sweeps", sweeps) : ""; }

void announce(const Session& session, const std::vector<PlannedCase>& plan,
              const RunOptions& options) {
  if (!options.preset_doc.empty())
    log::info(fmt::format("preset {}: {}", options.preset, options.preset_doc));
  log::info(fmt::format("{} case{}{} on {} rank{}: {}{}", plan.size(), plan.size() == 1 ? "" : "s",
                        in_sweeps(options.sweeps), session.world().size(),
                        session.world().size() == 1 ? "" : "s", estimate(plan, options.sweeps),
                        options.budget.empty() ? "" : fmt::format(" (budget {})", options.budget)));
  if (session.context().cuda_usable) {
    log::info("device memory in messages of MPI: " +
              session.device_path(collective::DeviceUse::messages).why);
  }
  if (session.world().size() == 1) {
    log::info(
        "one rank: nothing that needs two ranks (pingpong, collectives, scaling) can be measured; "
        "start with mpirun -n N or srun for these");
  }
}

/// Peak of this rank's device for a case.
Peak peak_for(Session& session, const Params& params) {
  const auto text = [&](const char* axis) {
    const auto found = params.find(axis);
    return found == params.end() ? std::string() : to_text(found->second);
  };
  const Peaks& peaks = session.options().peaks;
  if (text("device") == "cuda") {
    if (!session.context().cuda_usable) return {};
    return peaks.gpu_flops(session.gpu().name(), text("precision"));
  }
  return peaks.cpu_flops(static_cast<int>(text::parse_integer(text("threads")).value_or(1)),
                         text("precision"), session.found_peaks().core_flops(text("precision")));
}

/// "  [1.5 GiB a rank, computes 7.340 TFLOP, at least 109 ms (data sheet of NVIDIA H200)]"
std::string forecast(Session& session, const PlannedCase& planned) {
  std::vector<std::string> parts;
  if (const std::uint64_t memory = planned.benchmark->memory_for(planned.params))
    parts.push_back(units::bytes(memory) + " a rank");
  for (const Forecast& one : planned.benchmark->forecast_for(planned.params)) {
    parts.push_back(one.unit.empty() ? one.name
                                     : one.name + " " + units::quantity(one.value, one.unit));
    if (one.unit != "flop") continue;
    const Peak peak = peak_for(session, planned.params);
    if (peak.is_known())
      parts.push_back(
          fmt::format("at least {} ({})", units::seconds(one.value / peak.value, 3), peak.source));
  }
  return parts.empty() ? "" : "  [" + text::join(parts, ", ") + "]";
}

void print_plan(Session& session, const std::vector<PlannedCase>& plan, int sweeps) {
  for (const PlannedCase& planned : plan) {
    const std::string& why = planned.benchmark->why_unavailable();
    fmt::print("{}{}\n", planned.key,
               why.empty() ? forecast(session, planned) : "  [will be skipped: " + why + "]");
  }
  fmt::print("{} cases{}: {}\n", plan.size(), in_sweeps(sweeps), estimate(plan, sweeps));
}

/// The header of the result file. Collective.
Run describe_run(const Session& session, const std::vector<PlannedCase>& plan,
                 const RunOptions& options) {
  Run run;
  collect_environment(session, run);
  run.environment.common["output_file_system"] = file_system_of(options.output);
  run.ranks = session.rank_table();
  run.uuid = new_uuid();
  run.created = utc_now();
  run.producer = producer_facts();
  run.command_line = options.command_line;
  run.config = describe_config(plan, options);
  run.seed = options.seed;
  run.tags = options.tags;
  run.campaign = options.campaign;
  run.repeat = options.repeat;
  run.scheduler = scheduler_facts();
  for (const PlannedCase& planned : plan) run.planned.push_back(planned.key);
  return run;
}

/// On stderr: a line that is written over on a terminal, else lines of the log.
std::shared_ptr<ResultSink> progress(const RunOptions& options) {
  const Stream errors = stream_of(STDERR_FILENO);
  report::ProgressOptions how;
  how.every_case = options.verbosity > 0;
  if (errors.terminal) {
    how.line_width = output_width(errors);
    return std::make_shared<report::Progress>(
        [](const std::string& text) { fmt::print(stderr, "{}", text); }, how);
  }
  return std::make_shared<report::Progress>([](const std::string& text) { log::info(text); }, how);
}

/// Rank 0 opens the file and the printer; a failure there is everybody's.
void open_sinks(const mpi::Comm& world, const Run& run, const RunOptions& options,
                FanoutSink& sinks, std::shared_ptr<FileSink>& file) {
  std::string error;
  if (world.rank() == 0) {
    try {
      file = std::make_shared<FileSink>(
          WriterOptions{options.output, options.force, options.resume, options.redact});
      sinks.attach(file);
      if (options.verbosity >= 0) sinks.attach(progress(options));
      sinks.attach(make_printer(options.format, std::cout, options.print));
      sinks.begin(run);
    } catch (const std::exception& problem) {
      error = problem.what();
      if (error.empty()) error = "the result file could not be opened";
    }
  }
  error = world.broadcast(error);
  if (!error.empty()) throw UsageError(error);
}

/// What an earlier run has finished, from rank 0 to all.
std::map<std::size_t, FinishedCase> finished_cases(const mpi::Comm& world, const FileSink* file) {
  std::vector<std::string> texts;
  if (file) {
    for (const auto& [index, done] : file->finished())
      texts.push_back(fmt::format("{}:{}:{:d}:{}", index, to_string(done.status), done.wrong_data,
                                  done.sweeps));
  }
  std::map<std::size_t, FinishedCase> result;
  for (const std::string& one : text::split(world.broadcast(text::join(texts, ",")), ',')) {
    const std::vector<std::string> words = text::split(one, ':');
    if (words.size() != 4) continue;
    result[std::stoull(words[0])] = {status_from(words[1]), words[2] == "1", std::stoi(words[3])};
  }
  return result;
}

void conclude(const RunOutcome& outcome, const RunOptions& options, double seconds) {
  std::string counts = fmt::format("{} ok, {} skipped", outcome.ok, outcome.skipped);
  if (outcome.failed > 0) counts += fmt::format(", {} failed", outcome.failed);
  if (outcome.wrong_data > 0) counts += fmt::format(" ({} with wrong data)", outcome.wrong_data);
  if (outcome.oom > 0) counts += fmt::format(", {} out of memory", outcome.oom);
  if (outcome.timeout > 0) counts += fmt::format(", {} timed out", outcome.timeout);
  if (outcome.resumed > 0)
    counts += fmt::format(", {} taken from the earlier run", outcome.resumed);
  log::info(fmt::format("{} in {}; {}{}", counts, units::seconds(seconds, 3),
                        outcome.stopped ? "stopped early, continue with --resume: " : "written to ",
                        options.output.string()));
}

int run_on(const mpi::Environment& environment, const RunOptions& options) {
  const std::uint64_t start = now_ns();
  const mpi::Comm& world = environment.world();
  SessionOptions how = session_options(options);
  how.init_seconds = environment.init_seconds();
  Session session(world, std::move(how));
  const std::vector<PlannedCase> plan =
      make_plan(Registry::instance(), plan_request(options), session.context());
  check_same_plan(world, plan, options);
  if (options.dry_run) {
    if (world.rank() == 0) print_plan(session, plan, options.sweeps);
    return static_cast<int>(plan.empty() ? ExitCode::nothing : ExitCode::ok);
  }
  Run run = describe_run(session, plan, options);
  FanoutSink sinks;
  std::shared_ptr<FileSink> file;
  open_sinks(world, run, options, sinks, file);
  session.on_lost = [&](const CaseResult& lost) {
    note_lost_case({.output = options.output, .redact = options.redact}, lost);
  };
  announce(session, plan, options);
  Runner runner(session, sinks,
                {.finished = finished_cases(world, file.get()),
                 .budget = seconds_of(options.budget),
                 .saved_state = [&file](const CaseResult& planned) { return file->saved(planned); },
                 .sweeps = options.sweeps});
  const RunOutcome outcome = runner.run(plan);
  collect_end(session, run.environment);
  if (world.rank() == 0) {
    run.complete = !outcome.stopped;
    run.exit_reason = outcome.stopped ? "stopped by a signal" : "finished";
    sinks.end(run);
    conclude(outcome, options, static_cast<double>(now_ns() - start) * 1e-9);
  }
  world.barrier();
  return outcome.exit_code();
}

/// From MPI_Init to MPI_Finalize. Errors that all ranks have alike end quietly with their code; any
/// other ends the job, since the other ranks wait somewhere.
int run(RunOptions options, int& argc, char**& argv) {
  Watchdog::block_signals();
  try {
    mpi::Environment environment(&argc, &argv);
    const mpi::Comm& world = environment.world();
    log::configure(world.rank(), world.size(), host_label(), options.verbosity);
    if (!environment.thread_multiple())
      log::warn(
          "this MPI gives no MPI_THREAD_MULTIPLE: training with overlapped reduction may fail");
    default_output(world, options);
    int code = 0;
    try {
      code = options.probe ? probe(environment, options) : run_on(environment, options);
    } catch (const UsageError& error) {
      // Usage is judged alike on all ranks, or was broadcast: everybody is here.
      if (world.rank() == 0) fmt::print(stderr, "scalemark run: {}\n", error.what());
      code = static_cast<int>(ExitCode::usage);
    }
    return code;
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    mpi::abort(static_cast<int>(ExitCode::failed), error.what());
  }
}

}  // namespace

void add_run(CLI::App& app, int& argc, char**& argv, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Measure: run benchmarks and write a result file");
  add_run_options(*command, *options);
  command->callback([options, &argc, &argv, &exit_code] {
    check_run_options(*options);
    options->command_line = join_command_line(argc, argv);
    exit_code = run(*options, argc, argv);
  });
}

}  // namespace scalemark::cli
