// SPDX-License-Identifier: Apache-2.0
// `scalemark run`: plans the cases, runs them and writes the result file.
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/probe.hpp"
#include "common/cli/commands/run_facts.hpp"
#include "common/cli/commands/run_options.hpp"
#include "common/cli/commands/run_sinks.hpp"
#include "common/cli/launcher.hpp"
#include "common/cli/terminal.hpp"
#include "common/core/environment/collect_env.hpp"
#include "common/core/environment/system_facts.hpp"
#include "common/core/preset.hpp"
#include "common/core/runner.hpp"
#include "common/mpi/environment.hpp"
#include "common/mpi/typed.hpp"
#include "common/print/progress.hpp"
#include "common/store/writer.hpp"

namespace scalemark::cli {
namespace {

/// Throws on all ranks if the plans differ: ranks would wait for each other in different cases.
void check_same_plan(const mpi::Comm& world, const std::vector<PlannedCase>& plan,
                     const RunOptions& options) {
  std::string hash = plan_hash(plan);
  if (options.sweeps > 1) hash += fmt::format(" {} {}", options.sweeps, options.seed);
  const std::vector<std::string> hashes = world.all_gather(hash);
  for (std::size_t rank = 1; rank < hashes.size(); ++rank) {
    if (hashes[rank] != hashes[0]) {
      throw UsageError(
          fmt::format("rank {} planned other cases than rank 0: use the same options, presets and "
                      "build on all nodes",
                      rank));
    }
  }
}

std::string in_sweeps(int sweeps) { return sweeps > 1 ? fmt::format(" in {} sweeps", sweeps) : ""; }

void announce(const Session& session, const std::vector<PlannedCase>& plan,
              const RunOptions& options) {
  if (!options.preset_doc.empty())
    log::info(fmt::format("preset {}: {}", options.preset, options.preset_doc));
  log::info(fmt::format("{}{} on {}: {}{}", text::counted(plan.size(), "case"),
                        in_sweeps(options.sweeps), text::counted(session.world().size(), "rank"),
                        estimate(plan, options.sweeps),
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

/// Peak of this rank's device for a case's parameters.
Peak peak_for(Session& session, const Point& point) {
  const auto text = [&](const char* axis) {
    const Value* found = point.find(axis);
    return found == nullptr ? std::string() : to_text(*found);
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
  fmt::print("{}{}: {}\n", text::counted(plan.size(), "case"), in_sweeps(sweeps),
             estimate(plan, sweeps));
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

/// Cases that will not be measured: finished by the earlier run, or certain to be skipped.
std::set<std::size_t> known_to_take_no_time(const std::vector<PlannedCase>& plan, int ranks,
                                            const std::map<std::size_t, FinishedCase>& finished) {
  std::set<std::size_t> indices;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto done = finished.find(i);
    const bool whole = done != finished.end() && done->second.sweeps == FinishedCase::kAllSweeps;
    if (whole || !can_run(plan[i], ranks)) indices.insert(i);
  }
  return indices;
}

/// The result file cannot be written (disk full, read-only): exit code 3, on all ranks. The command
/// line is not at fault.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// Sinks that are also used directly, besides receiving results; set on rank 0 only.
struct Opened {
  std::shared_ptr<FileSink> file;
  std::shared_ptr<print::Progress> progress;
};

/// Reads the parts of a run to be resumed before MPI_Init, on rank 0, as far as the launcher's
/// environment tells it.
std::shared_ptr<const Inspection> inspect_before_mpi(const RunOptions& options) {
  if (!options.resume || options.dry_run || mpi::promised_rank() != 0) return nullptr;
  return inspect_for_resume(options.output);
}

/// Rank 0 opens the file and the printer; if that fails, all ranks throw.
void open_sinks(const mpi::Comm& world, const Run& run, const RunOptions& options,
                const std::shared_ptr<const Inspection>& inspection, FanoutSink& sinks,
                Opened& opened) {
  std::optional<std::pair<std::string, bool>> problem;  // its text, and whether it is of usage
  if (world.rank() == 0) {
    try {
      opened.file = std::make_shared<FileSink>(WriterOptions{.output = options.output,
                                                             .force = options.force,
                                                             .resume = options.resume,
                                                             .redact = options.redact,
                                                             .resume_hosts = options.resume_hosts,
                                                             .inspection = inspection});
      sinks.attach(opened.file);
      if (options.verbosity >= 0) {
        opened.progress = progress_sink(options);
        sinks.attach(opened.progress);
      }
      sinks.attach(rows_printer(options, opened.file));
      sinks.begin(run);
    } catch (const std::exception& error) {
      const std::string text = error.what();
      problem.emplace(text.empty() ? "the result file could not be opened" : text,
                      dynamic_cast<const UsageError*>(&error) != nullptr);
    }
  }
  problem = mpi::broadcast(world, problem);
  if (!problem) return;
  if (problem->second) throw UsageError(problem->first);
  throw OutputError(problem->first);
}

/// Cases that an earlier run finished, broadcast from rank 0.
std::map<std::size_t, FinishedCase> finished_cases(const mpi::Comm& world, const FileSink* file) {
  std::map<std::size_t, FinishedCase> cases;
  if (file) {
    for (const auto& [index, done] : file->finished()) cases.emplace(index, done);
  }
  return mpi::broadcast(world, cases);
}

void conclude(const RunOutcome& outcome, const RunOptions& options, const std::string& last_words,
              double seconds) {
  std::string counts = fmt::format("{} ok, {} skipped", outcome.ok, outcome.skipped);
  if (outcome.failed > 0) counts += fmt::format(", {} failed", outcome.failed);
  if (outcome.wrong_data > 0) counts += fmt::format(" ({} with wrong data)", outcome.wrong_data);
  if (outcome.oom > 0) counts += fmt::format(", {} out of memory", outcome.oom);
  if (outcome.timeout > 0) counts += fmt::format(", {} timed out", outcome.timeout);
  if (outcome.resumed > 0)
    counts += fmt::format(", {} taken from the earlier run", outcome.resumed);
  log::info(fmt::format("{} in {}", counts, units::seconds(seconds, 3)));
  if (outcome.stopped) {
    log::info(fmt::format("stopped early: {}.parts", options.output.string()));
    fmt::print(stderr, "{}", last_words);
  } else {
    log::info(fmt::format("written to {}", options.output.string()));
  }
}

/// The hint how to resume; empty if a job script prints one for the whole set of runs.
std::string last_words(const RunOptions& options, int ranks) {
  if (variable("SCALEMARK_JOB_SCRIPT")) return "";
  return resume_hint(options.words, options.output.string(), ranks);
}

int run_on(const mpi::Environment& environment, const RunOptions& options,
           const std::shared_ptr<const Inspection>& inspection) {
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
  Opened opened;
  open_sinks(world, run, options, inspection, sinks, opened);
  const std::string words = world.rank() == 0 ? last_words(options, world.size()) : "";
  session.watchdog().set_last_words(words);
  session.on_lost = [&](const CaseResult& lost) {
    note_lost_case({.output = options.output, .redact = options.redact}, lost);
  };
  announce(session, plan, options);
  const auto finished = finished_cases(world, opened.file.get());
  if (opened.progress)
    opened.progress->leave_out(known_to_take_no_time(plan, world.size(), finished));
  Runner runner(
      session, sinks,
      {.finished = finished,
       .budget = seconds_of(options.budget),
       .saved_state = [&opened](const CaseResult& planned) { return opened.file->saved(planned); },
       .sweeps = options.sweeps});
  const RunOutcome outcome = runner.run(plan);
  collect_end(session, run.environment);
  if (world.rank() == 0) {
    run.complete = !outcome.stopped;
    run.exit_reason = outcome.stopped ? "stopped by a signal" : "finished";
    sinks.end(run);
    conclude(outcome, options, words, static_cast<double>(now_ns() - start) * 1e-9);
  }
  world.barrier();
  return outcome.exit_code();
}

/// From MPI_Init to MPI_Finalize. Errors that all ranks share return their exit code. Any other
/// error ends the job, since the other ranks are waiting somewhere.
int run(RunOptions options, int& argc, char**& argv) {
  if (options.mpi_session && !mpi::Session::supported())
    throw UsageError(fmt::format("--mpi-session: {} has no sessions, which came with MPI-4",
                                 mpi::Environment::library_version()));
  Watchdog::block_signals();
  const auto inspection = inspect_before_mpi(options);
  try {
    mpi::Environment environment(&argc, &argv,
                                 options.mpi_session ? mpi::Start::session : mpi::Start::init);
    const mpi::Comm& world = environment.world();
    log::configure(world.rank(), world.size(), host_label(), options.verbosity);
    if (!mpi::any_thread_may_call())
      log::warn(
          "this MPI gives no MPI_THREAD_MULTIPLE: training with overlapped reduction may fail");
    default_output(world, options);
    int code = 0;
    try {
      code = options.probe ? probe(environment, options) : run_on(environment, options, inspection);
    } catch (const UsageError& error) {
      // Usage errors are the same on all ranks or were broadcast, so every rank gets here.
      if (world.rank() == 0) fmt::print(stderr, "scalemark run: {}\n", error.what());
      code = static_cast<int>(ExitCode::usage);
    } catch (const OutputError& error) {
      if (world.rank() == 0) fmt::print(stderr, "scalemark run: {}\n", error.what());
      code = static_cast<int>(ExitCode::failed);
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
    options->words.assign(argv, argv + argc);
    options->command_line = join_command_line(argc, argv);
    exit_code = run(*options, argc, argv);
  });
}

}  // namespace scalemark::cli
