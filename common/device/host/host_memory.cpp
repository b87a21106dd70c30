// SPDX-License-Identifier: Apache-2.0
// Allocates host memory with mmap. System calls choose the NUMA node, because libnuma would be a
// dependency for only two calls.
#include "common/device/host/host_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/units.hpp"
#include "common/device/device.hpp"

namespace scalemark::device {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr int kMaxNodes = 1024;  // the maximum of the Linux kernel
constexpr std::size_t kBits = 8 * sizeof(unsigned long);
using NodeMask = std::array<unsigned long, kMaxNodes / kBits>;

[[noreturn]] void throw_no_node(int numa_node, int error) {
  throw Unavailable(fmt::format("memory on NUMA node {}: {}", numa_node, std::strerror(error)));
}

NodeMask mask_of(int numa_node) {
  if (numa_node >= kMaxNodes) throw_no_node(numa_node, EINVAL);
  NodeMask mask{};
  const auto node = static_cast<std::size_t>(numa_node);
  mask[node / kBits] |= 1UL << (node % kBits);
  return mask;
}

std::size_t free_huge_pages() {
  std::ifstream file("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
  std::size_t pages = 0;
  return file >> pages ? pages : 0;
}

}  // namespace

std::string why_no_huge_pages() { return free_huge_pages() > 0 ? "" : "no 2 MiB huge pages free"; }

void require_host_memory(std::size_t bytes) {
  const std::size_t left = free_host_memory();
  if (bytes <= left) return;
  throw OutOfMemory(fmt::format(
      "{} of host memory asked, {} left (free memory, cgroup limit, address space limit)",
      units::bytes(bytes), units::bytes(left)));
}

void require_huge_pages(std::size_t bytes) {
  const std::size_t free = free_huge_pages();
  if (bytes <= free * kHugePage) return;
  throw OutOfMemory(
      fmt::format("{} in huge pages of 2 MiB asked, {} pages free", units::bytes(bytes), free));
}

std::size_t page_bytes(bool huge) {
  return huge ? kHugePage : static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t whole_pages(std::size_t bytes, bool huge) {
  const std::size_t page = page_bytes(huge);
  return (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
}

void* map_pages(std::size_t bytes, bool huge) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (huge ? MAP_HUGETLB | (21 << MAP_HUGE_SHIFT) : 0);
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (data != MAP_FAILED) return data;
  throw OutOfMemory(
      fmt::format("{} of host memory: {}", units::bytes(bytes), std::strerror(errno)));
}

void touch_pages(void* data, std::size_t bytes, std::size_t page) {
  auto* begin = static_cast<volatile char*>(data);
  for (std::size_t i = 0; i < bytes; i += page) begin[i] = 0;
}

Buffer allocate_host(std::size_t bytes, MemoryKind kind, int numa_node) {
  const bool huge = kind == MemoryKind::huge_pages;
  huge ? require_huge_pages(bytes) : require_host_memory(bytes);
  const std::size_t mapped = whole_pages(bytes, huge);
  void* data = map_pages(mapped, huge);
  Buffer buffer(data, bytes, kind, [mapped](void* block) { munmap(block, mapped); });
  if (numa_node >= 0) {
    const NodeMask mask = mask_of(numa_node);
    if (syscall(SYS_mbind, data, mapped, MPOL_PREFERRED, mask.data(), kMaxNodes + 1, 0) != 0) {
      throw_no_node(numa_node, errno);
    }
  }
  touch_pages(data, mapped, page_bytes(huge));
  return buffer;
}

PreferNode::PreferNode(int numa_node) {
  if (numa_node < 0) return;
  const NodeMask mask = mask_of(numa_node);
  if (syscall(SYS_get_mempolicy, &old_mode_, old_nodes_.data(), kMaxNodes, nullptr, 0) != 0 ||
      syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask.data(), kMaxNodes + 1) != 0) {
    throw_no_node(numa_node, errno);
  }
  changed_ = true;
}

PreferNode::~PreferNode() {
  if (changed_) syscall(SYS_set_mempolicy, old_mode_, old_nodes_.data(), kMaxNodes + 1);
}

}  // namespace scalemark::device
