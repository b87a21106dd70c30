// SPDX-License-Identifier: Apache-2.0
// Reading what a node's Linux says of itself.
#include "common/core/environment/system_facts.hpp"

#include <array>
#include <ctime>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/base/clock.hpp"
#include "common/base/small_files.hpp"

namespace scalemark {
namespace {

namespace fs = std::filesystem;
const std::string kCpu = "sys/devices/system/cpu/";

/// Facts that are one line of a file each.
constexpr std::array kLines = {
    std::pair("clock_source", "sys/devices/system/clocksource/clocksource0/current_clocksource"),
    std::pair("numa_balancing", "proc/sys/kernel/numa_balancing"),
    std::pair("transparent_huge_pages", "sys/kernel/mm/transparent_hugepage/enabled"),
    std::pair("transparent_huge_pages_defrag", "sys/kernel/mm/transparent_hugepage/defrag"),
    std::pair("swappiness", "proc/sys/vm/swappiness"),
    std::pair("overcommit_memory", "proc/sys/vm/overcommit_memory"),
    std::pair("zone_reclaim", "proc/sys/vm/zone_reclaim_mode"),
    std::pair("address_randomisation", "proc/sys/kernel/randomize_va_space"),
    std::pair("perf_event_paranoid", "proc/sys/kernel/perf_event_paranoid"),
    std::pair("cgroup_cpus", "sys/fs/cgroup/cpuset.cpus.effective"),
    std::pair("cpu_governor", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    std::pair("cpu_frequency_driver", "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"),
    std::pair("cpu_clock_min_khz", "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq"),
    std::pair("cpu_clock_max_khz", "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"),
    std::pair("cpu_idle_driver", "sys/devices/system/cpu/cpuidle/current_driver"),
    std::pair("cpu_smt", "sys/devices/system/cpu/smt/active"),
    std::pair("numa_nodes", "sys/devices/system/node/online")};

std::string limit_text(int resource) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0)
    return "unavailable: getrlimit";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
}

/// Of /proc/cmdline only what shapes timing: the rest may name disks and hosts.
std::string kernel_options(const fs::path& root) {
  static const std::set<std::string> kShown = {
      "isolcpus",       "nohz_full",    "nohz",
      "rcu_nocbs",      "mitigations",  "nosmt",
      "idle",           "intel_pstate", "amd_pstate",
      "iommu",          "intel_iommu",  "amd_iommu",
      "hugepages",      "hugepagesz",   "default_hugepagesz",
      "numa_balancing", "clocksource",  "tsc",
      "nopti",          "pti",          "spectre_v2",
      "preempt",        "pcie_aspm",    "transparent_hugepage",
      "nmi_watchdog",   "nowatchdog",   "processor.max_cstate",
      "skew_tick",      "nosoftlockup", "intel_idle.max_cstate",
      "irqaffinity",    "kthread_cpus", "cgroup_disable"};
  const std::string line = first_line(root, "proc/cmdline");
  if (!is_available(line)) return line;
  std::istringstream words(line);
  std::string word, shown;
  while (words >> word) {
    if (kShown.contains(word.substr(0, word.find('=')))) shown += (shown.empty() ? "" : " ") + word;
  }
  return shown.empty() ? "none of interest" : shown;
}

/// "mitigated: a, b; vulnerable: c"
std::string mitigations(const fs::path& root) {
  const std::string folder = kCpu + "vulnerabilities";
  std::vector<std::string> mitigated, vulnerable;
  for (const std::string& name : names_in(root / folder)) {
    const std::string state = first_line(root, folder + "/" + name);
    if (state.find("Vulnerable") != std::string::npos)
      vulnerable.push_back(name);
    else if (state.starts_with("Mitigation"))
      mitigated.push_back(name);
  }
  if (names_in(root / folder).empty()) return "unavailable: /" + folder;
  std::vector<std::string> parts;
  if (!mitigated.empty()) parts.push_back("mitigated: " + text::join(mitigated, ", "));
  if (!vulnerable.empty()) parts.push_back("vulnerable: " + text::join(vulnerable, ", "));
  return parts.empty() ? "not affected" : text::join(parts, "; ");
}

/// Names of CPU 0's idle states, those that are switched off in brackets.
std::string idle_states(const fs::path& root) {
  std::vector<std::string> states;
  const std::string folder = kCpu + "cpu0/cpuidle";
  for (const std::string& state : names_in(root / folder)) {
    const std::string name = first_line(root, folder + "/" + state + "/name");
    const bool off = first_line(root, folder + "/" + state + "/disable") == "1";
    if (is_available(name)) states.push_back(off ? "(" + name + ")" : name);
  }
  return states.empty() ? "unavailable: /" + folder : text::join(states, " ");
}

std::string boost(const fs::path& root) {
  const std::string boost = first_line(root, kCpu + "cpufreq/boost");
  if (is_available(boost)) return boost;
  const std::string off = first_line(root, kCpu + "intel_pstate/no_turbo");
  return !is_available(off) ? boost : off == "0" ? "1" : "0";
}

/// The tightest of the values of this process' control group and those above it.
std::string cgroup_limit(const fs::path& root, const std::string& file) {
  // Version 2: "0::/user.slice/job"; inside a container often "0::/".
  std::string group = field_of(root, "proc/self/cgroup", "0:", ':');
  if (group.starts_with(":")) group.erase(0, 1);
  if (!is_available(group)) group = "/";
  std::string tightest = "unavailable: no " + file + " in /sys/fs/cgroup";
  std::optional<double> least;
  for (fs::path at = fs::path(group).relative_path();; at = at.parent_path()) {
    const std::string value = first_line(root, ("sys/fs/cgroup" / at / file).string());
    if (is_available(value)) {
      std::istringstream words(value);
      double limit = 0, period = 1;
      // "max", "max 100000", "800000 100000", "1073741824"
      if (words >> limit) {
        words >> period;
        if (!least || limit / period < *least) {
          least = limit / period;
          tightest = value;
        }
      } else if (!least) {
        tightest = value;
      }
    }
    if (at.empty()) return tightest;
  }
}

std::string container(const fs::path& root) {
  std::error_code error;
  if (fs::exists(root / ".dockerenv", error)) return "docker";
  if (fs::exists(root / "run/.containerenv", error)) return "podman";
  if (fs::exists(root / ".singularity.d", error)) return "apptainer";
  return "none seen";
}

std::string timer_resolution() {
  timespec step{};
  if (clock_getres(CLOCK_MONOTONIC, &step) != 0) return "unavailable: clock_getres";
  return fmt::format("{} ns", step.tv_sec * 1'000'000'000 + step.tv_nsec);
}

}  // namespace

Facts system_facts(const fs::path& root) {
  Facts facts;
  utsname name{};
  uname(&name);
  facts["kernel"] = text::printable(fmt::format("{} {}", name.sysname, name.release), kMaxFact);
  facts["machine"] = name.machine;
  facts["os"] = field_of(root, "etc/os-release", "PRETTY_NAME", '=');
  facts["glibc"] = gnu_get_libc_version();
  facts["kernel_options"] = kernel_options(root);
  facts["timer_resolution"] = timer_resolution();
  for (const auto& [fact, path] : kLines) facts[fact] = first_line(root, path);
  facts["cpu_model"] = field_of(root, "proc/cpuinfo", "model name", ':');
  facts["cpu_stepping"] = field_of(root, "proc/cpuinfo", "stepping", ':');
  facts["cpu_microcode"] = field_of(root, "proc/cpuinfo", "microcode", ':');
  facts["cpu_count"] = std::to_string(sysconf(_SC_NPROCESSORS_ONLN));
  facts["cpu_boost"] = boost(root);
  facts["cpu_idle_states"] = idle_states(root);
  facts["cpu_mitigations"] = mitigations(root);
  facts["memory_total"] = field_of(root, "proc/meminfo", "MemTotal", ':');
  facts["memory_speed"] = "unavailable: only root may read it (DMI)";
  facts["huge_pages"] = field_of(root, "proc/meminfo", "HugePages_Total", ':');
  facts["swap_total"] = field_of(root, "proc/meminfo", "SwapTotal", ':');
  facts["page_size"] = std::to_string(sysconf(_SC_PAGESIZE));
  facts["limit_memlock"] = limit_text(RLIMIT_MEMLOCK);
  facts["limit_address_space"] = limit_text(RLIMIT_AS);
  facts["limit_stack"] = limit_text(RLIMIT_STACK);
  facts["limit_open_files"] = limit_text(RLIMIT_NOFILE);
  facts["cgroup_cpu_max"] = cgroup_limit(root, "cpu.max");
  facts["cgroup_memory_max"] = cgroup_limit(root, "memory.max");
  facts["container"] = container(root);
  return facts;
}

}  // namespace scalemark
