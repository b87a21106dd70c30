// SPDX-License-Identifier: Apache-2.0
// Reading the environment by allow-list.
#include "common/core/collect_env.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/mpi/environment.hpp"

extern char** environ;  // NOLINT: the C library declares it nowhere else

namespace scalemark {
namespace {

constexpr std::size_t kMaxValue = 1024;

/// First line of a small kernel file, or why it could not be read.
std::string read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return "unavailable: " + path;
  return text::printable(line, kMaxValue);
}

/// The value after "key" and a separator in a file such as /proc/cpuinfo or /etc/os-release.
std::string read_field(const std::string& path, const std::string& key, char separator) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t at = line.find(separator);
    if (at == std::string::npos || !line.starts_with(key)) continue;
    std::string value = line.substr(at + 1);
    std::erase(value, '"');
    value.erase(0, std::min(value.find_first_not_of(" \t"), value.size()));
    return text::printable(value, kMaxValue);
  }
  return fmt::format("unavailable: no {} in {}", key, path);
}

std::string limit_text(int resource) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0)
    return "unavailable: getrlimit";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
}

void add_kernel(std::map<std::string, std::string>& facts) {
  utsname name{};
  uname(&name);
  facts["kernel"] = text::printable(fmt::format("{} {}", name.sysname, name.release), kMaxValue);
  facts["machine"] = name.machine;
  facts["os"] = read_field("/etc/os-release", "PRETTY_NAME", '=');
  facts["clock_source"] =
      read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts["numa_balancing"] = read_line("/proc/sys/kernel/numa_balancing");
  facts["transparent_huge_pages"] = read_line("/sys/kernel/mm/transparent_hugepage/enabled");
  facts["swappiness"] = read_line("/proc/sys/vm/swappiness");
  facts["load_average"] = read_line("/proc/loadavg");
  facts["limit_memlock"] = limit_text(RLIMIT_MEMLOCK);
  facts["limit_address_space"] = limit_text(RLIMIT_AS);
  facts["cgroup_cpu_max"] = read_line("/sys/fs/cgroup/cpu.max");
  facts["cgroup_memory_max"] = read_line("/sys/fs/cgroup/memory.max");
}

void add_cpu(std::map<std::string, std::string>& facts) {
  facts["cpu_model"] = read_field("/proc/cpuinfo", "model name", ':');
  facts["cpu_microcode"] = read_field("/proc/cpuinfo", "microcode", ':');
  facts["cpu_count"] = std::to_string(sysconf(_SC_NPROCESSORS_ONLN));
  facts["cpu_governor"] = read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts["cpu_boost"] = read_line("/sys/devices/system/cpu/cpufreq/boost");
  facts["cpu_smt"] = read_line("/sys/devices/system/cpu/smt/active");
  facts["memory_total"] = read_field("/proc/meminfo", "MemTotal", ':');
  facts["page_size"] = std::to_string(sysconf(_SC_PAGESIZE));
}

}  // namespace

bool may_store_variable(const std::string& name) {
  static constexpr std::array kPrefixes = {
      "OMP_",  "GOMP_",   "KMP_",   "OMPI_MCA_", "PMIX_MCA_", "UCX_",    "FI_", "NCCL_",
      "CUDA_", "NVIDIA_", "TORCH_", "PYTORCH_",  "CUBLAS_",   "MALLOC_", "MKL_"};
  static const std::set<std::string> kNames = {"LD_PRELOAD",
                                               "SLURM_JOB_ID",
                                               "SLURM_JOB_NUM_NODES",
                                               "SLURM_NTASKS",
                                               "SLURM_NTASKS_PER_NODE",
                                               "SLURM_CPUS_PER_TASK",
                                               "SLURM_MPI_TYPE",
                                               "SLURM_CPU_BIND",
                                               "PBS_JOBID",
                                               "LSB_JOBID",
                                               "FLUX_JOB_ID"};
  static constexpr std::array kSecrets = {"TOKEN",  "KEY",  "SECRET", "PASS",       "CREDENTIAL",
                                          "COOKIE", "AUTH", "URI",    "TRANSPORTS", "SESSION",
                                          "JOBFAM", "HNP",  "DIR",    "PATH"};
  // What mpirun tells its own processes, other in each job.
  static constexpr std::array kLaunchers = {"OMPI_MCA_ess", "OMPI_MCA_orte_", "OMPI_MCA_pmix",
                                            "OMPI_MCA_shmem_RUNTIME", "PMIX_MCA_mca_base_"};
  const auto starts = [&](const char* prefix) { return name.starts_with(prefix); };
  if (std::ranges::any_of(kLaunchers, starts)) return false;
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (std::ranges::any_of(kSecrets,
                          [&](const char* word) { return upper.find(word) != std::string::npos; }))
    return false;
  if (kNames.contains(name)) return true;
  return std::ranges::any_of(kPrefixes, starts);
}

std::map<std::string, std::string> collect_node_environment() {
  std::map<std::string, std::string> facts;
  add_kernel(facts);
  add_cpu(facts);
  facts["mpi_library"] = mpi::Environment::library_version();
  if (const std::string cuda = device::cuda_versions(); !cuda.empty()) facts["cuda"] = cuda;
  if (const std::string nccl = collective::nccl_version(); !nccl.empty()) facts["nccl"] = nccl;
  for (const auto& [name, value] : build_info()) facts["build." + name] = value;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string line = *entry;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || !may_store_variable(line.substr(0, equals))) continue;
    facts["env." + line.substr(0, equals)] = text::printable(line.substr(equals + 1), kMaxValue);
  }
  return facts;
}

std::map<std::string, std::string> gpu_facts(const topology::Machine& machine) {
  std::map<std::string, std::string> facts;
  if (machine.gpus.empty()) return facts;
  std::set<std::string> models;
  for (const topology::Gpu& gpu : machine.gpus) models.insert(gpu.name);
  facts["gpu_model"] = text::join(std::vector<std::string>(models.begin(), models.end()), ", ");
  facts["gpu_count"] = std::to_string(machine.gpus.size());
  if (!machine.driver_version.empty()) facts["gpu_driver"] = machine.driver_version;
  if (!machine.nvml_problem.empty()) facts["nvml"] = "unavailable: " + machine.nvml_problem;
  return facts;
}

Environment collect_environment(const Session& session) {
  // One rank a node speaks for it.
  const bool speaks = session.node().rank() == 0;
  std::map<std::string, std::string> facts;
  if (speaks) {
    facts = collect_node_environment();
    facts.merge(gpu_facts(session.machine()));
  }
  const nlohmann::json mine = {{"host", session.host()}, {"facts", facts}};
  const std::vector<std::string> texts =
      session.world().gather(speaks ? mine.dump() : std::string());
  std::map<std::string, std::map<std::string, std::string>> by_key;  // key -> node -> value
  std::set<std::string> nodes;
  for (const std::string& line : texts) {
    if (line.empty()) continue;
    const nlohmann::json row = nlohmann::json::parse(line);
    const std::string node = row["host"];
    nodes.insert(node);
    for (const auto& [key, value] : row["facts"].items())
      by_key[key][node] = value.get<std::string>();
  }
  Environment environment;
  for (const auto& [key, values] : by_key) {
    const bool equal =
        values.size() == nodes.size() && std::ranges::all_of(values, [&](const auto& one) {
          return one.second == values.begin()->second;
        });
    if (equal)
      environment.common[key] = values.begin()->second;
    else
      environment.differs[key] = values;
  }
  if (session.world().rank() == 0 && session.machine().this_system)
    environment.raw["hwloc"] = topology::machine_xml();
  return environment;
}

}  // namespace scalemark
