// SPDX-License-Identifier: Apache-2.0
// Options of `scalemark run`.
#include "common/cli/run_options.hpp"

#include <algorithm>
#include <cctype>
#include <random>
#include <tuple>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/cli/terminal.hpp"
#include "common/core/preset.hpp"

namespace scalemark::cli {
namespace {

/// More than anyone has time for; the list of where they begin stays short.
constexpr int kMostSweeps = 1000;

std::map<std::string, std::string> parse_pairs(const std::string& option,
                                               const std::vector<std::string>& texts) {
  std::map<std::string, std::string> result;
  for (const std::string& one : texts) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(
          fmt::format("{} is '{}'; allowed: name=value", option, text::printable(one, 80)));
    }
    result[one.substr(0, equals)] = one.substr(equals + 1);
  }
  return result;
}

/// The folder that the job scripts use too; empty where the environment names none.
std::string cache_folder() {
  std::string base = variable("XDG_CACHE_HOME").value_or("");
  if (const std::string home = variable("HOME").value_or(""); base.empty() && !home.empty())
    base = home + "/.cache";
  return base.empty() ? "" : base + "/scalemark";
}

void check_time(const std::string& option, const std::string& given) {
  if (!given.empty() && !text::parse_seconds(given)) {
    throw UsageError(fmt::format("{} is '{}'; allowed: a duration such as 30, 500ms, 2m", option,
                                 text::printable(given, 80)));
  }
}

/// Seconds between readings; nothing for "off".
std::optional<double> telemetry_interval(const std::string& given) {
  if (given == "off") return std::nullopt;
  const std::optional<double> seconds = text::parse_seconds(given);
  if (!seconds || *seconds < 0.1 || *seconds > 3600) {
    throw UsageError(
        fmt::format("--telemetry is '{}'; allowed: off, or a duration from 100ms to 1h",
                    text::printable(given, 80)));
  }
  return seconds;
}

/// A preset that repeats another program prints as that program does.
void take_format(const Preset& preset, RunOptions& options) {
  if (preset.format.empty()) return;
  const std::vector<std::string> known = print_formats();
  if (std::ranges::find(known, preset.format) == known.end()) {
    throw UsageError(fmt::format("--preset {}: format is '{}'; allowed: {}", preset.name,
                                 text::printable(preset.format, 80), text::join(known, ", ")));
  }
  options.preset_doc = preset.doc;
  if (options.format.empty()) options.format = preset.format;
}

/// -b, -e and -f are short for -a bytes=B:E:*F.
void fold_byte_range(RunOptions& options) {
  if (options.min_bytes.empty() && options.max_bytes.empty()) return;
  const std::string from = options.min_bytes.empty() ? "8" : options.min_bytes;
  const std::string to = options.max_bytes.empty() ? from : options.max_bytes;
  const std::string range = fmt::format("{}:{}:*{}", from, to, options.factor);
  text::parse_integers(range);  // refused here, before MPI starts
  options.axes.push_back("bytes=" + range);
}

}  // namespace

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option(
      "FILTER", options.filters,
      "Regular expressions searched in suite/name; an exact name selects only itself");
  command.add_option("--preset", options.preset,
                     "Built-in preset, or a .toml file (default without a filter: quick)");
  command
      .add_option("-a,--axis", options.axes,
                  "[suite/name:]axis=values; values: 8, 1K, 8:4M:*2, 1:9:+2, a,b,c")
      ->allow_extra_args(false);
  command.add_option("-b,--min-bytes", options.min_bytes,
                     "Smallest message; short for -a bytes=...");
  command.add_option("-e,--max-bytes", options.max_bytes, "Largest message");
  command.add_option("-f,--factor", options.factor, "Factor between message sizes")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  command.add_flag("--quick", options.quick, "The smallest sensible set of points");
  command.add_option("-o,--output", options.output, "Result file (default: scalemark-DATE-PID.h5)");
  command.add_flag("--force", options.force, "Replace an existing output");
  command.add_flag("--resume", options.resume,
                   "Continue an interrupted run: finished cases are kept");
  command.add_flag("--redact", options.redact,
                   "Store salted hashes in place of host, user and serial numbers");
  command.add_option("--seed", options.seed, "Seed of data and order")->capture_default_str();
  command
      .add_option("--sweeps", options.sweeps,
                  "Measure the whole plan so often, each time in another order (trainings once)")
      ->check(CLI::Range(1, kMostSweeps))
      ->capture_default_str();
  command.add_flag("--dry-run", options.dry_run, "Print the cases and stop");
  command.add_option("--budget", options.budget,
                     "Time for the whole run; later cases are skipped: 10m");
  command.add_option("--tag", options.tag_texts, "name=value, stored with the result")
      ->allow_extra_args(false);
  command
      .add_option("--data", options.data_texts,
                  "NAME=PATH: where data lie (mnist=DIR, rgb300=DIR, weights=FILE, alpaca=FILE, "
                  "tokenizer=FILE), or go to (adapters=DIR)")
      ->allow_extra_args(false);
  command.add_option("-n,--iterations", options.iterations, "Exactly so many timed samples");
  command.add_option("-w,--warmup", options.warmup, "So many untimed samples first");
  command.add_option("--ci", options.ci, "Stop when the median is known to +- PERCENT (default 2)");
  command.add_option("--min-time", options.min_time, "Measure each case at least so long");
  command.add_option("--max-time", options.max_time,
                     "Measure each case at most so long (default 1s)");
  command.add_option("--max-volume", options.max_volume,
                     "Let the samples of a case move at most so many bytes (default 4G)");
  command.add_option(
      "--peak", options.peak,
      "TOML file with peak rates: [gpu.flops] and [cpu_core.flops], fp64 = 1e12, ...; [link], "
      "network, nvlink, pcie = 5e10 (B/s one way); [memory], host, numa_node, gpu = 2e11 (B/s)");
  command
      .add_option("--sync", options.sync,
                  "How ranks begin a sample: after a barrier, or at a moment of a common clock")
      ->check(CLI::IsMember({"barrier", "clock"}))
      ->capture_default_str();
  command.add_flag("--no-verify", options.no_verify, "Do not check the data");
  command
      .add_option("--placement", options.placement,
                  "Cores of a rank: near (its GPU), spread, packed, wrong_socket, none")
      ->capture_default_str();
  command
      .add_option("--cuda-aware", options.cuda_aware,
                  "Hand device memory to MPI as it is: where --probe has proved it, always, never")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->capture_default_str();
  command.add_flag("--probe", options.probe,
                   "Measure nothing: try on two ranks or more whether MPI takes device memory, and "
                   "keep the proof in the cache folder (--force: even where one stands)");
  command
      .add_option("--timeout", options.timeout,
                  "End the job when a rank shows no sign of life for so many seconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option(
          "--telemetry", options.telemetry,
          "Look at clocks, power, heat and load every so many seconds, between samples; off")
      ->capture_default_str();
  command
      .add_option("--format", options.format, "Output format (default: the preset's, else table)")
      ->check(CLI::IsMember(print_formats()));
  command
      .add_option("--decimals", options.print.decimals,
                  "Decimals of printed numbers in table, osu and imb")
      ->check(CLI::Range(0, 12));
  add_color_option(command, options.color);
  command.add_flag("--quiet", options.quiet, "Warnings only on stderr");
  command.add_flag("-v,--verbose", options.verbose,
                   "More on stderr; in --format osu OSU's columns, too, as in `show`");
}

void check_run_options(RunOptions& options) {
  if (options.probe && (!options.filters.empty() || !options.preset.empty() || options.resume ||
                        options.dry_run || !options.output.empty())) {
    throw UsageError(
        "--probe measures nothing: no FILTER, --preset, --output, --resume or --dry-run beside it");
  }
  if (options.force && options.resume) throw UsageError("--force and --resume exclude each other");
  if (options.resume && options.output.empty())
    throw UsageError("--resume needs --output: which run shall go on?");
  check_time("--budget", options.budget);
  check_time("--min-time", options.min_time);
  check_time("--max-time", options.max_time);
  if (!options.max_volume.empty() && text::parse_integer(options.max_volume).value_or(0) < 1) {
    throw UsageError(fmt::format("--max-volume is '{}'; allowed: bytes, as 40M or 4G",
                                 text::printable(options.max_volume, 64)));
  }
  telemetry_interval(options.telemetry);
  options.tags = parse_pairs("--tag", options.tag_texts);
  options.data = parse_pairs("--data", options.data_texts);
  fold_byte_range(options);
  for (const std::string& axis : options.axes) parse_override(axis);
  topology::policy_from(options.placement);
  if (!options.peak.empty()) options.peaks = Peaks::from_file(options.peak);
  if (options.filters.empty() && options.preset.empty()) options.preset = "quick";
  if (!options.preset.empty())
    take_format(load_preset(Registry::instance(), options.preset), options);
  if (options.format.empty()) options.format = "table";
  std::tie(options.campaign, options.repeat) = campaign_facts();
  options.verbosity = options.quiet ? -1 : options.verbose;
  options.print.verbosity = options.verbose;
  const Stream output = stream_of(STDOUT_FILENO);
  options.print.color = use_color(options.color, output);
  options.print.width = output_width(output);
}

void default_output(const mpi::Comm& world, RunOptions& options) {
  if (!options.output.empty()) return;
  std::string stamp = utc_now().substr(0, 19);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  options.output = world.broadcast(fmt::format("scalemark-{}-{}.h5", stamp, getpid()));
}

SessionOptions session_options(const RunOptions& options) {
  SessionOptions result;
  result.placement = topology::policy_from(options.placement);
  result.timeout = options.timeout;
  result.seed = options.seed;
  result.data = options.data;
  result.cuda_visible_devices = variable("CUDA_VISIBLE_DEVICES");
  result.cache = cache_folder();
  result.peaks = options.peaks;
  result.sync = options.sync == "clock" ? Sync::clock : Sync::barrier;
  result.cuda_aware = cuda_aware_from(options.cuda_aware);
  result.telemetry.seconds = telemetry_interval(options.telemetry);
  return result;
}

PlanRequest plan_request(const RunOptions& options) {
  PlanRequest request;
  request.filters = options.filters;
  if (!options.preset.empty()) request.preset = load_preset(Registry::instance(), options.preset);
  for (const std::string& axis : options.axes) request.overrides.push_back(parse_override(axis));
  request.quick = options.quick;
  request.command_line.iterations = options.iterations;
  request.command_line.warmup = options.warmup;
  request.command_line.ci_percent = options.ci;
  request.command_line.min_time = seconds_of(options.min_time);
  request.command_line.max_time = seconds_of(options.max_time);
  if (const auto volume = text::parse_integer(options.max_volume))
    request.command_line.max_volume = static_cast<double>(*volume);
  if (options.no_verify) request.command_line.verify = false;
  return request;
}

std::optional<double> seconds_of(const std::string& given) {
  return given.empty() ? std::nullopt : text::parse_seconds(given);
}

std::string join_command_line(int argc, char** argv) {
  const std::vector<std::string> parts(argv, argv + argc);
  return text::join(parts, " ");
}

std::string host_label() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string new_uuid() {
  std::random_device device;
  const auto word = [&] { return static_cast<std::uint32_t>(device()); };
  const std::uint32_t a = word(), b = word(), c = word(), d = word();
  // Version 4, variant 1 (RFC 4122).
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", a, b >> 16, b & 0xfffU,
                     0x8000U | (c >> 18), c & 0xffffU, d);
}

std::map<std::string, std::string> producer_facts() {
  std::map<std::string, std::string> facts = build_info();
  facts["name"] = "scalemark";
  facts["version"] = version();
  facts["git_revision"] = git_revision();
  facts["git_dirty"] = git_dirty() ? "true" : "false";
  return facts;
}

std::map<std::string, std::string> scheduler_facts() {
  std::map<std::string, std::string> facts;
  for (const char* name : {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_ARRAY_TASK_ID", "PBS_JOBID",
                           "LSB_JOBID", "FLUX_JOB_ID"}) {
    if (const auto value = variable(name)) facts[name] = text::printable(*value, 128);
  }
  return facts;
}

std::pair<std::string, int> campaign_facts() {
  const std::string campaign = variable("SCALEMARK_CAMPAIGN").value_or("");
  const bool plain = std::ranges::all_of(campaign, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (!plain || campaign.size() > 64) {
    throw UsageError(
        fmt::format("SCALEMARK_CAMPAIGN is '{}', allowed: up to 64 of A-Z a-z 0-9 - _ .",
                    text::printable(campaign, 80)));
  }
  const auto repeat = text::parse_integer(variable("SCALEMARK_REPEAT").value_or("0"));
  return {campaign, repeat && *repeat > 0 && *repeat < 1'000'000 ? static_cast<int>(*repeat) : 0};
}

std::string describe_config(const std::vector<PlannedCase>& plan, const RunOptions& options) {
  std::string result = fmt::format("preset: {}\nplacement: {}\nseed: {}\n", options.preset,
                                   options.placement, options.seed);
  if (options.sweeps > 1) result += fmt::format("sweeps: {}\n", options.sweeps);
  for (const PlannedCase& planned : plan)
    result += fmt::format("{} | {}\n", planned.key, to_text(planned.policy));
  return result;
}

}  // namespace scalemark::cli
