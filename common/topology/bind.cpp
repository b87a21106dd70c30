// SPDX-License-Identifier: Apache-2.0
// Affinity and memory policy by system calls, read back afterwards.
#include "common/topology/bind.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/text.hpp"

namespace scalemark::topology {
namespace {

// From <linux/mempolicy.h>; numaif.h would need libnuma.
constexpr int kPreferred = 1;
constexpr unsigned long kQueryNode = 1, kQueryAddress = 2;
constexpr int kMaxNodes = 1024;

void add_problem(Binding& binding, const std::string& text) {
  binding.problem += (binding.problem.empty() ? "" : "; ") + text;
}

/// Every thread that the process has so far; those of the future inherit from their maker.
bool set_affinity(const CpuSet& cpus, std::string& why) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int cpu : cpus) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &mask);
  }
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const auto thread = text::parse_integer(task.path().filename().string());
    if (!thread || sched_setaffinity(static_cast<pid_t>(*thread), sizeof mask, &mask) == 0 ||
        errno == ESRCH)
      continue;
    why = std::strerror(errno);
    return false;
  }
  return true;
}

CpuSet affinity() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CpuSet cpus;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &mask)) cpus.push_back(cpu);
  }
  return cpus;
}

bool prefer_node(int node) {
  unsigned long nodes[kMaxNodes / (8 * sizeof(unsigned long))] = {};
  if (node < 0 || node >= kMaxNodes) return false;
  const auto bits = static_cast<int>(8 * sizeof(unsigned long));
  nodes[node / bits] = 1UL << (node % bits);
  return syscall(SYS_set_mempolicy, kPreferred, nodes, kMaxNodes + 1) == 0;
}

/// Node of a page that is touched now; -1 if the kernel does not say.
int node_of_fresh_page() {
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return -1;
  *static_cast<volatile char*>(page) = 1;
  int node = -1;
  const long code = syscall(SYS_get_mempolicy, &node, nullptr, 0, page, kQueryNode | kQueryAddress);
  munmap(page, size);
  return code == 0 ? node : -1;
}

}  // namespace

Binding bind(const RankPlacement& placement) {
  Binding binding;
  if (!placement.cpus.empty()) {
    std::string why;
    if (!set_affinity(placement.cpus, why))
      add_problem(binding, fmt::format("CPUs {} were refused: {}", to_list(placement.cpus), why));
  }
  binding.cpus = affinity();
  binding.applied = !placement.cpus.empty() && binding.cpus == placement.cpus;
  if (!placement.cpus.empty() && !binding.applied && binding.problem.empty()) {
    add_problem(binding, fmt::format("asked for CPUs {}, the kernel gives {}",
                                     to_list(placement.cpus), to_list(binding.cpus)));
  }
  if (placement.numa >= 0) {
    const bool set = prefer_node(placement.numa);
    const int problem = errno;
    binding.numa = node_of_fresh_page();
    // A kernel without NUMA has one node and no policy: nothing is lost.
    const bool no_numa = !set && problem == ENOSYS;
    if (!set && !no_numa)
      add_problem(binding, fmt::format("memory policy for NUMA node {} was refused: {}",
                                       placement.numa, std::strerror(problem)));
    else if (binding.numa >= 0 && binding.numa != placement.numa)
      add_problem(binding,
                  fmt::format("memory lies on NUMA node {}, not {}", binding.numa, placement.numa));
  }
  return binding;
}

}  // namespace scalemark::topology
