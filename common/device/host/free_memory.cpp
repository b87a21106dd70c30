// SPDX-License-Identifier: Apache-2.0
// Reads free memory from /proc, memory cgroups and process limits.
#include "common/device/host/free_memory.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "common/base/text.hpp"
#include "common/device/device.hpp"

namespace scalemark::device {
namespace {

namespace fs = std::filesystem;

// Version 1 writes "no limit" as the largest multiple of the page size.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

/// The number after `name` at the start of a line.
std::optional<std::uint64_t> field(const std::string& text, std::string_view name) {
  for (const std::string& line : text::split(text, '\n')) {
    if (line.rfind(name, 0) != 0) continue;
    const std::size_t digits = line.find_first_not_of(" \t", name.size());
    if (digits != std::string::npos) return number(std::string_view(line).substr(digits));
  }
  return std::nullopt;
}

/// File names of one cgroup version.
struct Files {
  const char* limit;
  const char* usage;
  const char* inactive_cache;
};
constexpr Files kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                             "total_inactive_file "};
constexpr Files kVersion2 = {"memory.max", "memory.current", "inactive_file "};

std::optional<std::uint64_t> group_leaves(const fs::path& group, const Files& files) {
  const auto limit = number(read_text(group / files.limit));  // "max" is not a number
  const auto usage = number(read_text(group / files.usage));
  if (!limit || !usage || *limit >= kNoLimit) return std::nullopt;
  // The kernel drops inactive page cache before it kills a process.
  const std::uint64_t cache =
      field(read_text(group / "memory.stat"), files.inactive_cache).value_or(0);
  const std::uint64_t used = *usage - std::min(cache, *usage);
  return *limit - std::min(used, *limit);
}

struct Mount {
  std::string root;   ///< the part of the hierarchy that is mounted
  std::string point;  ///< mount point
};

/// Mount of the memory controller (version 1) or of the unified hierarchy (version 2).
std::optional<Mount> find_mount(const std::string& mountinfo, bool unified) {
  for (const std::string& line : text::split(mountinfo, '\n')) {
    // ID parent major:minor ROOT POINT options [optional fields] - TYPE source super-options
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> front = text::split(line.substr(0, dash), ' ');
    const std::vector<std::string> back = text::split(line.substr(dash + 3), ' ');
    if (front.size() < 5 || back.size() < 3) continue;
    const std::vector<std::string> controllers = text::split(back[2], ',');
    const bool memory =
        std::find(controllers.begin(), controllers.end(), "memory") != controllers.end();
    if (unified ? back[0] == "cgroup2" : back[0] == "cgroup" && memory)
      return Mount{front[3], front[4]};
  }
  return std::nullopt;
}

/// The process's group relative to the mount. In a container, the mount may start inside the path.
std::string below(const std::string& path, const std::string& mount_root) {
  if (mount_root != "/" && path.rfind(mount_root, 0) == 0) return path.substr(mount_root.size());
  return path;
}

void keep_smaller(std::optional<std::uint64_t>& least, const std::optional<std::uint64_t>& other) {
  if (other && (!least || *other < *least)) least = other;
}

}  // namespace

std::optional<std::uint64_t> available_in(const std::string& meminfo) {
  const auto kib = field(meminfo, "MemAvailable:");
  if (!kib || *kib > kNoLimit / 1024) return std::nullopt;
  return *kib * 1024;
}

std::optional<std::uint64_t> cgroup_leaves(const std::string& cgroup, const std::string& mountinfo,
                                           const std::string& root) {
  std::optional<std::uint64_t> least;
  for (const std::string& line : text::split(cgroup, '\n')) {
    // Format hierarchy:controllers:path. Version 2 is hierarchy 0 without controllers.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::vector<std::string> controllers =
        text::split(line.substr(first + 1, second - first - 1), ',');
    const bool unified = line.rfind("0::", 0) == 0;
    if (!unified &&
        std::find(controllers.begin(), controllers.end(), "memory") == controllers.end())
      continue;
    const auto mount = find_mount(mountinfo, unified);
    if (!mount) continue;
    const fs::path top = root + mount->point;
    const fs::path inside = fs::path(below(line.substr(second + 1), mount->root)).relative_path();
    fs::path group = top;
    keep_smaller(least, group_leaves(group, unified ? kVersion2 : kVersion1));
    for (const fs::path& part : inside) {
      if (part == ".." || part.empty()) break;
      group /= part;
      keep_smaller(least, group_leaves(group, unified ? kVersion2 : kVersion1));
    }
  }
  return least;
}

std::optional<std::uint64_t> address_space_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  // the first number is the total program size
  const auto pages = number(read_text("/proc/self/statm"));
  const std::uint64_t used = pages.value_or(0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(used, limit.rlim_cur);
}

std::size_t free_host_memory() {
  std::optional<std::uint64_t> least = available_in(read_text("/proc/meminfo"));
  keep_smaller(least,
               cgroup_leaves(read_text("/proc/self/cgroup"), read_text("/proc/self/mountinfo")));
  keep_smaller(least, address_space_left());
  return least.value_or(std::numeric_limits<std::size_t>::max());
}

}  // namespace scalemark::device
