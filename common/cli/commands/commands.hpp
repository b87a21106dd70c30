// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each add_...() adds its options and a callback that runs the subcommand and
// stores the exit code (ExitCode). Only `run` calls MPI_Init.
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace scalemark::cli {

/// `argc` and `argv` as given to main: MPI_Init needs them, and the result file stores the command
/// line.
void add_run(CLI::App& app, int& argc, char**& argv, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_show(CLI::App& app, int& exit_code);
void add_study(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_predict(CLI::App& app, int& exit_code);
void add_fleet(CLI::App& app, int& exit_code);
void add_campaign(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_baseline(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_verify(CLI::App& app, int& exit_code);
void add_finalize(CLI::App& app, int& exit_code);
void add_schema(CLI::App& app, int& exit_code);
void add_import(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);
void add_man(CLI::App& app, int& exit_code);

/// Builds the program's options with all subcommands. `argc`, `argv` and `exit_code` must outlive
/// it.
std::unique_ptr<CLI::App> make_app(int& argc, char**& argv, int& exit_code);

}  // namespace scalemark::cli
