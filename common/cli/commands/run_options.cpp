// SPDX-License-Identifier: Apache-2.0
// Options of `scalemark run`: definition, checks, and the requests made of them.
#include "common/cli/commands/run_options.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/run_facts.hpp"
#include "common/cli/commands/topology_file.hpp"
#include "common/cli/numbers.hpp"
#include "common/cli/terminal.hpp"
#include "common/core/policy_rules.hpp"
#include "common/core/preset.hpp"
#include "common/formats/make_printer.hpp"

namespace scalemark::cli {
namespace {

using Kind = NumberRule::Kind;

/// First message size without --min-bytes, in bytes.
constexpr const char* kSmallest = "8";

/// Upper limit of --sweeps. Keeps the list of sweep starts short.
constexpr int kMaxSweeps = 1000;

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

/// The cache folder, shared with the job scripts; empty if the environment names none.
std::string cache_folder() {
  std::string base = variable("XDG_CACHE_HOME").value_or("");
  if (const std::string home = variable("HOME").value_or(""); base.empty() && !home.empty())
    base = home + "/.cache";
  return base.empty() ? "" : base + "/scalemark";
}

/// Seconds between readings; nothing for "off".
std::optional<double> telemetry_interval(const std::string& given) {
  return given == "off" ? std::nullopt : text::parse_seconds(given);
}

/// A preset that repeats another program also prints in that program's format.
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
  if (options.factor && options.max_bytes.empty()) {
    throw UsageError(
        fmt::format("--factor is {}, and --max-bytes is not given; allowed: with --max-bytes",
                    *options.factor));
  }
  if (options.min_bytes.empty() && options.max_bytes.empty()) return;
  for (const std::string& axis : options.axes) {
    if (parse_override(axis).axis != "bytes") continue;
    throw UsageError(fmt::format("--axis is '{}', and {} sets the sizes, too; allowed: one of them",
                                 text::printable(axis, 80),
                                 options.min_bytes.empty() ? "--max-bytes" : "--min-bytes"));
  }
  const std::string from = options.min_bytes.empty() ? kSmallest : options.min_bytes;
  const std::string to = options.max_bytes.empty() ? from : options.max_bytes;
  if (text::parse_integer(from) > text::parse_integer(to)) {
    throw UsageError(fmt::format("--max-bytes is '{}'; allowed: --min-bytes ({}) or more",
                                 text::printable(to, 80), text::printable(from, 80)));
  }
  options.axes.push_back(fmt::format("bytes={}:{}:*{}", from, to, options.factor.value_or(2)));
}

/// Names of --data: what benchmarks pass to Case::data(), and the text rows read from files. All
/// are known in every build, even if the benchmark that needs them is left out.
const std::vector<std::string>& data_names() {
  static const std::vector<std::string> names = {
      "adapters",   "alpaca", "file_read", "grammar",  "mnist",     "mpi_io", "neighbors",
      "preference", "rgb300", "samsum",    "slimorca", "tokenizer", "weights"};
  return names;
}

std::map<std::string, std::string> parse_data(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> data = parse_pairs("--data", texts);
  const std::vector<std::string>& names = data_names();
  for (const auto& [name, path] : data) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::vector<std::string> near = text::nearest(name, names);
    throw UsageError(
        fmt::format("--data is '{}', a name that no benchmark asks for{}; allowed: {}",
                    text::printable(name + "=" + path, 80),
                    near.empty() ? "" : fmt::format(" (did you mean {}?)", text::join(near, ", ")),
                    text::join(names, ", ")));
  }
  return data;
}

/// Throws UsageError if --iterations is combined with --ci or --min-time: it replaces their rules.
void check_count(const RunOptions& options) {
  if (!options.iterations) return;
  const char* ignored = options.ci ? "--ci" : options.min_time.empty() ? nullptr : "--min-time";
  if (ignored == nullptr) return;
  throw UsageError(
      fmt::format("--iterations is {}, which sets the number of samples, so {} cannot be used with "
                  "it; --max-time can",
                  *options.iterations, ignored));
}

void add_size_options(CLI::App& command, RunOptions& options) {
  const NumberRule size{Kind::bytes, 0, NumberRule::kNoEnd, false};
  take_text_number(
      command.add_option("-b,--min-bytes", options.min_bytes,
                         "Smallest message, without -e the only one; short for -a bytes=..."),
      size);
  take_text_number(command.add_option("-e,--max-bytes", options.max_bytes, "Largest message"),
                   size);
  take_number(command.add_option("-f,--factor", options.factor,
                                 "Factor between message sizes (default 2); 0 is followed by 1"),
              {Kind::integer, 2, 1 << 20, false});
}

}  // namespace

void add_case_options(CLI::App& command, RunOptions& options) {
  command.add_option("FILTER", options.filters,
                     "Regular expressions searched in suite/name; an exact name selects only "
                     "itself; with --preset they choose within it");
  command.add_option("--preset", options.preset,
                     "Built-in preset, or a .toml file (default without a filter: quick)");
  command
      .add_option("-a,--axis", options.axes,
                  "[suite/name:]axis=values; values: 8, 1K (1024), 8:4M:*2, 1:9:+2, a,b,c; "
                  "ranks=all: those of the job")
      ->allow_extra_args(false);
  add_size_options(command, options);
  command.add_flag("--quick", options.quick,
                   "The smallest sensible set of points; axes that a preset names stay");
}

void add_sampling_options(CLI::App& command, RunOptions& options) {
  take_number(
      command.add_option("-n,--iterations", options.iterations,
                         "Number of timed samples; fewer if --max-time ends sampling. Not with "
                         "--ci or --min-time"),
      policy_rule("iterations"));
  take_number(
      command.add_option("-w,--warmup", options.warmup, "Number of untimed warm-up samples"),
      policy_rule("warmup"));
  take_number(command.add_option("--ci", options.ci,
                                 "Stop when the median is known to +- PERCENT (default 2)"),
              policy_rule("ci"));
  take_text_number(command.add_option("--min-time", options.min_time,
                                      "Time of a case's samples, at least: 1s, 500ms, 2m"),
                   policy_rule("min_time"));
  take_text_number(
      command.add_option(
          "--max-time", options.max_time,
          "Time of a case's samples, at most (default 1s; none where their number is set)"),
      policy_rule("max_time"));
  take_text_number(
      command.add_option(
          "--max-volume", options.max_volume,
          "No further samples of a case when these bytes have moved, but 20 (default 4G); "
          "not where their number is set"),
      policy_rule("max_volume"));
}

void add_run_options(CLI::App& command, RunOptions& options) {
  add_case_options(command, options);
  command.add_option("-o,--output", options.output, "Result file (default: scalemark-DATE-PID.h5)");
  command.add_flag("--force", options.force, "Replace an existing output, at the start of the run");
  command.add_flag(
      "--resume", options.resume,
      "Continue an interrupted run: finished cases are kept, also failed and skipped "
      "ones. Needs the same plan, build, hosts and number of ranks, nodes and devices");
  command.add_flag(
      "--resume-hosts", options.resume_hosts,
      "With --resume: resume on other hosts, too; cases measured there store their hosts");
  command.add_flag(
      "--redact", options.redact,
      "Store hashes instead of names, addresses and serial numbers; their secret is in the file "
      "that SCALEMARK_REDACTION_KEY_FILE names, or in scalemark/redaction-key in XDG_STATE_HOME "
      "(~/.local/state)");
  take_number(command.add_option("--seed", options.seed, "Seed of data and order"),
              {Kind::integer, 0, NumberRule::kNoEnd, false})
      ->capture_default_str();
  take_number(command.add_option("--sweeps", options.sweeps,
                                 "Repeat the whole plan this many times, each time in another "
                                 "order (trainings and burn-in once)"),
              {Kind::integer, 1, kMaxSweeps, false})
      ->capture_default_str();
  command.add_flag("--dry-run", options.dry_run, "Print the cases and stop");
  take_text_number(command.add_option("--budget", options.budget,
                                      "Time for the whole run; later cases are skipped: 10m"),
                   {Kind::seconds, 0, NumberRule::kLongestTime, false});
  command.add_option("--tag", options.tag_texts, "name=value, stored with the result")
      ->allow_extra_args(false);
  command
      .add_option("--data", options.data_texts,
                  "NAME=PATH: where data are read (mnist=DIR, weights=FILE, alpaca=FILE, "
                  "tokenizer=FILE, neighbors=FILE), made if they are missing (rgb300=DIR, "
                  "file_read=DIR), or written (mpi_io=DIR, adapters=DIR)")
      ->allow_extra_args(false);
  add_sampling_options(command, options);
  command.add_option(
      "--peak", options.peak,
      "TOML file with peak rates: [gpu.flops] and [cpu_core.flops], fp64 = 1e12, ...; [link], "
      "network, nvlink, pcie = 5e10 (B/s one way); [memory], host, numa_node, gpu = 2e11 (B/s)");
  command.add_option("--topology", options.topology,
                     "File of hosts and switches, in TOML as predict takes it, or Slurm's "
                     "topology.conf: pairs=screening and rails then pair hosts under different "
                     "switches");
  command
      .add_option(
          "--sync", options.sync,
          "How ranks start a sample: after a barrier, or at a set time of a synchronised clock")
      ->check(CLI::IsMember({"barrier", "clock"}))
      ->capture_default_str();
  command.add_flag("--no-verify", options.no_verify, "Do not check the data of micro-benchmarks");
  command
      .add_option("--placement", options.placement,
                  "Cores of a rank: near (its GPU), spread, packed, wrong_socket, none")
      ->capture_default_str();
  command
      .add_option("--cuda-aware", options.cuda_aware,
                  "Pass device memory to MPI directly: where MPI says that it can and --probe has "
                  "proved it (auto), always, never")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->capture_default_str();
  command.add_flag("--probe", options.probe,
                   "Measure nothing: test on at least 2 ranks whether MPI takes device memory, and "
                   "store the proof in the cache folder (--force: replace an earlier proof)");
  command.add_flag("--mpi-session", options.mpi_session,
                   "Start MPI by a session (MPI-4) instead of MPI_Init_thread");
  take_number(command.add_option("--timeout", options.timeout,
                                 "End the job when a rank makes no progress for this long"),
              {Kind::seconds, 0, NumberRule::kLongestTime, true})
      ->capture_default_str();
  take_text_number(command.add_option("--telemetry", options.telemetry,
                                      "Seconds between readings of clocks, power, temperature and "
                                      "load (never in a sample); off"),
                   {Kind::seconds, 0.1, 3600, false}, "off")
      ->capture_default_str();
  command
      .add_option("--format", options.format, "Output format (default: the preset's, else table)")
      ->check(CLI::IsMember(print_formats()));
  take_number(command.add_option("--decimals", options.print.decimals,
                                 "Decimals of printed numbers in table, osu and imb"),
              {Kind::integer, 0, 12, false});
  add_color_option(command, options.color);
  command.add_flag("--quiet", options.quiet, "Warnings only on stderr");
  command.add_flag("-v,--verbose", options.verbose,
                   "More on stderr; in --format osu OSU's columns, too, as in `show`");
}

void check_case_options(RunOptions& options) {
  check_count(options);
  fold_byte_range(options);
  for (const std::string& axis : options.axes) parse_override(axis);
  if (options.filters.empty() && options.preset.empty()) options.preset = "quick";
}

void check_run_options(RunOptions& options) {
  if (options.probe && (!options.filters.empty() || !options.preset.empty() || options.resume ||
                        options.dry_run || !options.output.empty())) {
    throw UsageError(
        "--probe measures nothing: no FILTER, --preset, --output, --resume or --dry-run beside it");
  }
  if (options.force && options.resume) throw UsageError("--force and --resume exclude each other");
  if (options.resume_hosts && !options.resume)
    throw UsageError("--resume-hosts lets --resume continue on other hosts: give --resume, too");
  if (options.resume && options.output.empty())
    throw UsageError("--resume needs --output: the run to resume");
  options.tags = parse_pairs("--tag", options.tag_texts);
  options.data = parse_data(options.data_texts);
  check_case_options(options);
  hardware::policy_from(options.placement);
  if (!options.peak.empty()) options.peaks = Peaks::from_file(options.peak);
  if (!options.topology.empty()) options.switches = read_switches(options.topology);
  if (!options.preset.empty())
    take_format(load_preset(Registry::instance(), options.preset), options);
  if (options.format.empty()) options.format = "table";
  std::tie(options.campaign, options.repeat) = campaign_facts();
  options.verbosity = options.quiet ? -1 : options.verbose;
  options.print.verbosity = options.verbose;
  const Stream output = stream_of(STDOUT_FILENO);
  options.print.color = use_color(options.color, output);
  options.print.width = output_width(output);
  options.print.utf8 = knows_unicode();
}

void default_output(const mpi::Comm& world, RunOptions& options) {
  if (!options.output.empty()) return;
  std::string stamp = utc_now().substr(0, 19);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  options.output = world.broadcast(fmt::format("scalemark-{}-{}.h5", stamp, getpid()));
}

SessionOptions session_options(const RunOptions& options) {
  SessionOptions result;
  result.placement = hardware::policy_from(options.placement);
  result.timeout = options.timeout;
  result.seed = options.seed;
  result.data = options.data;
  result.cuda_visible_devices = variable("CUDA_VISIBLE_DEVICES");
  result.cache = cache_folder();
  result.peaks = options.peaks;
  result.switches = options.switches;
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

}  // namespace scalemark::cli
