// SPDX-License-Identifier: Apache-2.0
// Sets CPU affinity and memory policy by system calls and reads them back.
#include "common/hardware/placement/bind.hpp"

#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/numa_page.hpp"
#include "common/base/text.hpp"

namespace scalemark::hardware {
namespace {

// From <linux/mempolicy.h>. Including numaif.h would require libnuma.
constexpr int kLocal = 0, kPreferred = 1;
constexpr int kMaxNodes = 1024;
/// How often the list of threads is read again to find new ones.
constexpr int kLooks = 10;

std::string describe(int error) {
  return std::error_code(error, std::generic_category()).message();
}

void add_problem(Binding& binding, const std::string& text) {
  binding.problem += (binding.problem.empty() ? "" : "; ") + text;
}

/// Thread ids of this process; only the main thread's id if /proc is not readable.
std::set<pid_t> threads() {
  std::set<pid_t> ids = {getpid()};
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/task", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (const auto id = text::parse_integer(entry->path().filename().string()))
      ids.insert(static_cast<pid_t>(*id));
  }
  return ids;
}

/// Fills `mask` with `cpus`. Returns an empty text, or why it failed.
std::string fill(cpu_set_t& mask, const CpuSet& cpus) {
  CPU_ZERO(&mask);
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE)
      return fmt::format("CPU {} cannot be bound: only the first {} can", cpu, CPU_SETSIZE);
    CPU_SET(static_cast<std::size_t>(cpu), &mask);
  }
  return "";
}

/// Sets the affinity of all threads of this process. Threads created later inherit it. A thread
/// that is created meanwhile by a thread not yet bound is found by reading the list again. Returns
/// an empty text, or why it failed.
std::string set_affinity(const CpuSet& cpus) {
  cpu_set_t mask;
  if (std::string why = fill(mask, cpus); !why.empty()) return why;
  std::set<pid_t> done;
  for (int look = 0; look < kLooks; ++look) {
    bool found_more = false;
    for (const pid_t thread : threads()) {
      if (!done.insert(thread).second) continue;
      found_more = true;
      // ESRCH: the thread has ended.
      if (sched_setaffinity(thread, sizeof mask, &mask) != 0 && errno != ESRCH)
        return describe(errno);
    }
    if (!found_more) break;
  }
  return "";
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

/// Sets the memory policy to prefer a NUMA node. Returns 0 or the error number.
int prefer_node(int node) {
  unsigned long nodes[kMaxNodes / (8 * sizeof(unsigned long))] = {};
  if (node < 0 || node >= kMaxNodes) return EINVAL;
  const auto bits = static_cast<int>(8 * sizeof(unsigned long));
  nodes[node / bits] = 1UL << (node % bits);
  return syscall(SYS_set_mempolicy, kPreferred, nodes, kMaxNodes + 1) == 0 ? 0 : errno;
}

/// NUMA node of a newly touched page and 0, or -1 and the error number.
std::pair<int, int> node_of_fresh_page() {
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return {-1, errno};
  *static_cast<volatile char*>(page) = 1;
  const int node = numa_node_of_page(page);
  const int error = node < 0 ? errno : 0;
  munmap(page, size);
  return {node, error};
}

void bind_cpus(const CpuSet& cpus, Binding& binding) {
  const std::string why = set_affinity(cpus);
  binding.cpus = affinity();
  binding.applied = why.empty() && binding.cpus == cpus;
  if (!why.empty()) {
    add_problem(binding, fmt::format("CPUs {} were refused: {}", to_list(cpus), why));
  } else if (!binding.applied) {
    add_problem(binding, fmt::format("asked for CPUs {}, the kernel gives {}", to_list(cpus),
                                     to_list(binding.cpus)));
  }
}

void bind_memory(int node, Binding& binding) {
  const int refused = prefer_node(node);
  const auto [page_node, hidden] = node_of_fresh_page();
  binding.numa = page_node;
  // A kernel without NUMA support has a single node: no policy is needed.
  if (refused == ENOSYS) return;
  if (refused != 0) {
    add_problem(binding, fmt::format("memory policy for NUMA node {} was refused: {}", node,
                                     describe(refused)));
  } else if (page_node < 0) {
    add_problem(binding, fmt::format("cannot check that memory is on NUMA node {}: {}", node,
                                     describe(hidden)));
  } else if (page_node != node) {
    add_problem(binding, fmt::format("memory is on NUMA node {}, not {}", page_node, node));
  }
}

}  // namespace

Binding bind(const RankPlacement& placement) {
  Binding binding;
  if (!placement.on_this_system) {
    binding.cpus = affinity();
    binding.problem = "nothing is bound: the topology comes from a file, it is not this machine's";
    return binding;
  }
  if (placement.cpus.empty())
    binding.cpus = affinity();
  else
    bind_cpus(placement.cpus, binding);
  if (placement.numa >= 0) bind_memory(placement.numa, binding);
  return binding;
}

bool bind_thread(const CpuSet& cpus) {
  cpu_set_t mask;
  if (cpus.empty() || !fill(mask, cpus).empty() || sched_setaffinity(0, sizeof mask, &mask) != 0)
    return false;
  // If the kernel refuses this call, no other memory policy can have been set before.
  static_cast<void>(syscall(SYS_set_mempolicy, kLocal, nullptr, 0UL));
  return true;
}

}  // namespace scalemark::hardware
