// SPDX-License-Identifier: Apache-2.0
// What the result file of a run says of the program, its start and its job.
#include "common/cli/commands/run_facts.hpp"

#include <algorithm>
#include <cctype>
#include <random>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/cli/numbers.hpp"
#include "common/cli/terminal.hpp"

namespace scalemark::cli {

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
  const std::string given = variable("SCALEMARK_REPEAT").value_or("");
  if (given.empty()) return {campaign, 0};
  const NumberRule rule{NumberRule::Kind::integer, 0, 999'999, false};
  const std::optional<double> repeat = rule.read(given);
  if (!repeat) throw UsageError("SCALEMARK_REPEAT " + rule.refusal(given));
  return {campaign, static_cast<int>(*repeat)};
}

std::string describe_config(const std::vector<PlannedCase>& plan, const RunOptions& options) {
  std::string result = fmt::format("preset: {}\nplacement: {}\nseed: {}\n", options.preset,
                                   options.placement, options.seed);
  if (options.sweeps > 1) result += fmt::format("sweeps: {}\n", options.sweeps);
  // Settings that --resume must find unchanged. Written only if they are not the default.
  if (options.sync != "barrier") result += fmt::format("sync: {}\n", options.sync);
  if (options.redact) result += "redact: true\n";
  for (const PlannedCase& planned : plan)
    result += fmt::format("{} | {}\n", planned.key, to_text(planned.policy));
  return result;
}

}  // namespace scalemark::cli
