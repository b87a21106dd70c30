// SPDX-License-Identifier: Apache-2.0
// Sets up the subcommands and turns errors into messages and exit codes.
#include "common/cli/app.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/version.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/outputs.hpp"
#include "common/cli/examples.hpp"
#include "common/cli/usage.hpp"
#include "common/mpi/environment.hpp"

namespace scalemark::cli {
namespace {

/// True on the one rank that prints: under a launcher all ranks find the same errors.
bool speaks() { return mpi::promised_rank() == 0; }

/// The launcher ends the job when the first rank fails: the silent ones let the one that prints be
/// that rank.
constexpr std::chrono::milliseconds kHeadStart{500};

int report(ExitCode code, const char* text) {
  if (speaks()) {
    fmt::print(stderr, "scalemark: {}\n", text);
  } else {
    std::this_thread::sleep_for(kHeadStart);
  }
  return static_cast<int>(code);
}

int parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    // Help and version are "errors" with code 0; everything else is usage.
    if (error.get_exit_code() != 0)
      return report(ExitCode::usage,
                    (usage_error(app, error) + "\nRun with --help for more information.").c_str());
    std::ostringstream silent;
    if (speaks()) {
      app.exit(error);
    } else {
      app.exit(error, silent, silent);
    }
    return -1;
  }
}

}  // namespace

std::unique_ptr<CLI::App> make_app(int& argc, char**& argv, int& exit_code) {
  auto made = std::make_unique<CLI::App>(
      "Scalemark: how fast a GPU cluster really trains and communicates, and whether that is "
      "better or worse "
      "than before.");
  CLI::App& app = *made;
  app.set_version_flag("--version", fmt::format("scalemark {} ({})", version(), git_revision()));
  app.require_subcommand(1);
  add_run(app, argc, argv, exit_code);
  add_list(app, exit_code);
  add_info(app, exit_code);
  add_show(app, exit_code);
  add_study(app, exit_code);
  add_plan(app, exit_code);
  add_predict(app, exit_code);
  add_fleet(app, exit_code);
  add_campaign(app, exit_code);
  add_compare(app, exit_code);
  add_baseline(app, exit_code);
  add_report(app, exit_code);
  add_verify(app, exit_code);
  add_finalize(app, exit_code);
  add_schema(app, exit_code);
  add_import(app, exit_code);
  add_export(app, exit_code);
  add_completion(app, exit_code);
  add_man(app, exit_code);
  add_examples(app);
  // Must follow the subcommands, which would otherwise inherit the footer.
  app.footer(
      "Examples:\n"
      "  mpirun -n 2 scalemark run --preset quick -o a.h5\n"
      "  scalemark list -v\n"
      "  scalemark compare base/ --against new/\n\n"
      "Results go to stdout, progress and messages to stderr. Colours: --color, then NO_COLOR, "
      "FORCE_COLOR and\nCLICOLOR_FORCE, then whether stdout is a terminal. COLUMNS sets the "
      "width.\nUnder mpirun, terminal and width are those of mpirun itself. Where it cannot be "
      "asked "
      "(srun, or rank 0\non another node), SCALEMARK_TERMINAL=COLUMNS says that there is one of "
      "that width; 0: there is none.");
  return made;
}

void leave(int code) {
  if (mpi::needs_exit_handlers()) std::exit(code);
  std::fflush(nullptr);
  std::_Exit(code);
}

int main(int argc, char** argv) {
  // Beyond a limit on the size of files, writes shall fail with a reason.
  std::signal(SIGXFSZ, SIG_IGN);
  int exit_code = 0;
  const std::unique_ptr<CLI::App> app = make_app(argc, argv, exit_code);
  try {
    if (const int stop = parse_and_run(*app, argc, argv); stop != 0)
      return checked_output(stop < 0 ? 0 : stop);
    return checked_output(exit_code);
  } catch (const UsageError& error) {
    return report(ExitCode::usage, error.what());
  } catch (const InputError& error) {
    return report(ExitCode::failed, error.what());
  } catch (const std::exception& error) {
    // fmt also throws when it cannot print.
    if (std::ferror(stdout) != 0) return checked_output(static_cast<int>(ExitCode::failed));
    return report(ExitCode::failed, error.what());
  }
}

}  // namespace scalemark::cli
