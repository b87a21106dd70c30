// SPDX-License-Identifier: Apache-2.0
// Options of `scalemark run`, and the values derived from them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/core/plan.hpp"
#include "common/core/session.hpp"
#include "common/fleet/switches.hpp"
#include "common/print/printer.hpp"

namespace scalemark::cli {

struct RunOptions {
  std::vector<std::string> filters;
  std::string preset;
  std::vector<std::string> axes;
  std::string min_bytes, max_bytes;
  std::optional<int> factor;
  bool quick = false, dry_run = false, force = false, resume = false, redact = false;
  bool resume_hosts = false;
  std::filesystem::path output;
  std::uint64_t seed = 1;
  int sweeps = 1;
  std::string sync = "barrier";
  std::string budget, min_time, max_time, max_volume;
  std::string telemetry = "1";
  std::vector<std::string> tag_texts, data_texts;
  std::map<std::string, std::string> tags, data;
  std::optional<int> iterations, warmup;
  std::optional<double> ci;
  bool no_verify = false;
  std::string placement = "near";
  std::string cuda_aware = "auto";
  bool probe = false;
  bool mpi_session = false;
  std::string peak;
  Peaks peaks;  ///< from the file `peak`
  std::string topology;
  fleet::Switches switches;  ///< from the file `topology`
  double timeout = 300;
  std::string format, color = "auto";  ///< format: empty until check_run_options()
  std::string preset_doc;              ///< description of a preset that repeats another program
  bool quiet = false;
  int verbose = 0;       ///< how often -v was given
  std::string campaign;  ///< campaign_facts()
  int repeat = 0;
  int verbosity = 0;
  PrintOptions print;
  std::string command_line;
  std::vector<std::string> words;  ///< the command line, word by word
};

/// Options that choose cases: FILTER, --preset, -a, -b, -e, -f, --quick.
void add_case_options(CLI::App& command, RunOptions& options);
/// Checks them, and makes "quick" the preset where nothing is chosen. Throws UsageError.
void check_case_options(RunOptions& options);
/// Options of sampling: -n, -w, --ci, --min-time, --max-time, --max-volume.
void add_sampling_options(CLI::App& command, RunOptions& options);
/// All options of `run`.
void add_run_options(CLI::App& command, RunOptions& options);
/// Completes what CLI11 cannot check. Throws UsageError. Does not need MPI.
void check_run_options(RunOptions& options);
/// Collective. If no output file is given, names it after date and process; the same on all ranks.
void default_output(const mpi::Comm& world, RunOptions& options);

SessionOptions session_options(const RunOptions& options);
PlanRequest plan_request(const RunOptions& options);
std::optional<double> seconds_of(const std::string& text);

}  // namespace scalemark::cli
