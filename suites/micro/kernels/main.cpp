// SPDX-License-Identifier: Apache-2.0
// scalemark-kernels: rank-local kernels with Google Benchmark, its flags and a Scalemark result
// file.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/core/environment/collect_env.hpp"
#include "common/core/runner.hpp"
#include "common/store/writer.hpp"
#include "suites/micro/kernels/recorder.hpp"

namespace {

struct Options {
  std::filesystem::path output;
  bool force = false, redact = false;
};

/// Removes Scalemark's options from the command line before Google Benchmark parses it.
Options take_options(int& argc, char** argv) {
  Options options;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--force")
      options.force = true;
    else if (argument == "--redact")
      options.redact = true;
    else if (argument.starts_with("--output="))
      options.output = argument.substr(9);
    else if ((argument == "-o" || argument == "--output") && i + 1 < argc)
      options.output = argv[++i];
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
  return options;
}

void print_help() {
  std::puts(
      "scalemark-kernels [-o FILE.h5] [--force] [--redact] [--benchmark_<flag>=...]\n"
      "Host kernels under Google Benchmark; -o also writes a Scalemark result file, in which "
      "every\n"
      "repetition is a sample (use --benchmark_repetitions). Google Benchmark's own flags follow.");
  benchmark::PrintDefaultHelp();
}

std::string random_uuid() {
  std::random_device word;
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:08x}{:04x}", word(), word() & 0xffffU,
                     word() & 0xfffU, word() & 0xfffU, word(), word() & 0xffffU);
}

scalemark::Run describe(int argc, char** argv) {
  scalemark::Run run;
  run.uuid = random_uuid();
  run.created = scalemark::utc_now();
  run.producer = scalemark::build_info();
  run.producer["name"] = "scalemark-kernels";
  run.producer["version"] = scalemark::version();
  run.producer["git_revision"] = scalemark::git_revision();
  run.command_line = scalemark::text::join(std::vector<std::string>(argv, argv + argc), " ");
  run.environment.common = scalemark::collect_node_environment();
  run.ranks.push_back({});
  return run;
}

int exit_code(const std::vector<scalemark::CaseResult>& cases) {
  scalemark::RunOutcome outcome;
  for (const scalemark::CaseResult& one : cases) {
    outcome.count(one, scalemark::finished(one).wrong_data);
  }
  return outcome.exit_code();
}

int measure(const Options& options, scalemark::Run run) {
  // Open the file first, so that an unwritable folder fails before the measurement.
  std::unique_ptr<scalemark::FileSink> file;
  if (!options.output.empty()) {
    file = std::make_unique<scalemark::FileSink>(
        scalemark::WriterOptions{options.output, options.force, false, options.redact});
    file->begin(run);
  }
  scalemark::micro::kernels::Recorder recorder;
  const std::size_t matched = benchmark::RunSpecifiedBenchmarks(&recorder);
  benchmark::Shutdown();
  const std::vector<scalemark::CaseResult> cases = recorder.cases();
  if (file) {
    for (const scalemark::CaseResult& one : cases) {
      file->started(one);
      file->add(one);
      run.planned.push_back(one.key);
    }
    run.complete = true;
    run.exit_reason = "finished";
    file->end(run);
  }
  // With --benchmark_list_tests nothing is measured.
  if (matched > 0 && cases.empty()) return static_cast<int>(scalemark::ExitCode::ok);
  return exit_code(cases);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = take_options(argc, argv);
  const int given = argc;
  const std::vector<char*> arguments(argv, argv + given);
  benchmark::Initialize(&argc, argv, print_help);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return static_cast<int>(scalemark::ExitCode::usage);
  try {
    return measure(options, describe(given, const_cast<char**>(arguments.data())));
  } catch (const scalemark::UsageError& error) {
    std::fprintf(stderr, "scalemark-kernels: %s\n", error.what());
    return static_cast<int>(scalemark::ExitCode::usage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "scalemark-kernels: %s\n", error.what());
    return static_cast<int>(scalemark::ExitCode::failed);
  }
}
