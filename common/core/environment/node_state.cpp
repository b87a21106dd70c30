// SPDX-License-Identifier: Apache-2.0
// Network adapters, what changes during a run, and file systems.
#include <initializer_list>
#include <set>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

#include "common/base/small_files.hpp"
#include "common/core/environment/system_facts.hpp"

namespace scalemark {
namespace {

namespace fs = std::filesystem;
constexpr unsigned kFirstPerson = 1000;  // user numbers below belong to the system

/// Processes of people other than the one who runs this.
std::string processes_of_others(const fs::path& root) {
  std::size_t others = 0, seen = 0;
  for (const std::string& name : names_in(root / "proc")) {
    struct stat owner {};
    if (!text::parse_integer(name) || stat((root / "proc" / name).c_str(), &owner) != 0) continue;
    ++seen;
    if (owner.st_uid != getuid() && owner.st_uid >= kFirstPerson) ++others;
  }
  return seen == 0 ? "unavailable: no processes in /proc" : std::to_string(others);
}

/// Sum of a kernel's counter over all CPUs.
std::string throttle_events(const fs::path& root) {
  const std::string cpus = "sys/devices/system/cpu/";
  std::int64_t events = 0;
  bool told = false;
  for (const std::string& name : names_in(root / cpus)) {
    const auto count = text::parse_integer(
        first_line(root, cpus + name + "/thermal_throttle/core_throttle_count"));
    if (count) events += *count;
    told = told || count;
  }
  return told ? std::to_string(events) : "unavailable: no thermal_throttle in /" + cpus + "cpu*";
}

std::string clock_now(const fs::path& root) {
  const std::string khz = first_line(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
  if (const auto value = text::parse_integer(khz)) return fmt::format("{} MHz", *value / 1000);
  const std::string mhz = field_of(root, "proc/cpuinfo", "cpu MHz", ':');
  return is_available(mhz) ? mhz + " MHz" : mhz;
}

/// Not loopback, nor a bridge.
bool is_adapter(const fs::path& interface) {
  std::error_code error;
  return fs::exists(interface / "device", error);
}

/// "symbol_error=0 link_downed=1": what files of a folder tell of a bad cable.
std::string error_counters(const fs::path& root, const std::string& folder,
                           std::initializer_list<const char*> files) {
  std::vector<std::string> shown;
  for (const fs::path file : files) {
    if (const std::string value = first_line(root, folder + file.string()); is_available(value))
      shown.push_back(file.filename().string() + "=" + value);
  }
  return shown.empty() ? "unavailable: /" + folder : text::join(shown, " ");
}

/// Facts nic_errors.ADAPTER; of ports beyond the first nic_errors.ADAPTER/PORT.
void add_adapter_errors(const fs::path& root, Facts& facts) {
  const std::string infiniband = "sys/class/infiniband/", net = "sys/class/net/";
  for (const std::string& name : names_in(root / infiniband)) {
    for (const std::string& port : names_in(root / infiniband / name / "ports"))
      facts["nic_errors." + name + (port == "1" ? "" : "/" + port)] = error_counters(
          root, infiniband + name + "/ports/" + port + "/",
          {"counters/symbol_error", "counters/link_downed", "counters/link_error_recovery",
           "counters/port_rcv_errors", "counters/port_xmit_discards", "counters/port_xmit_wait",
           "hw_counters/local_ack_timeout_err"});
  }
  for (const std::string& name : names_in(root / net)) {
    if (is_adapter(root / net / name))
      facts["nic_errors." + name] =
          error_counters(root, net + name + "/",
                         {"statistics/rx_errors", "statistics/tx_errors", "carrier_down_count"});
  }
}

/// A path in /proc/self/mountinfo, where blanks are written \\040.
std::string unescaped(const std::string& path) {
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\' && path.compare(i, 4, "\\040") == 0) {
      result += ' ';
      i += 3;
    } else {
      result += path[i];
    }
  }
  return result;
}

}  // namespace

Facts network_facts(const fs::path& root) {
  Facts facts;
  const std::string infiniband = "sys/class/infiniband/";
  for (const std::string& name : names_in(root / infiniband)) {
    const std::string device = infiniband + name + "/";
    std::vector<std::string> parts;
    for (const char* file : {"hca_type", "board_id", "fw_ver", "ports/1/link_layer", "ports/1/rate",
                             "ports/1/state", "ports/1/phys_state"}) {
      if (const std::string value = first_line(root, device + file); is_available(value))
        parts.push_back(value);
    }
    facts["nic." + name] =
        parts.empty() ? "unavailable: /" + infiniband + name : text::join(parts, ", ");
  }
  const std::string net = "sys/class/net/";
  for (const std::string& name : names_in(root / net)) {
    if (!is_adapter(root / net / name)) continue;
    // Virtual adapters have a speed of -1, others none while they are down.
    const auto speed = text::parse_integer(first_line(root, net + name + "/speed"));
    facts["nic." + name] = fmt::format(
        "{}, MTU {}, {}", speed && *speed > 0 ? fmt::format("{} Mb/s", *speed) : "unknown speed",
        first_line(root, net + name + "/mtu"), first_line(root, net + name + "/operstate"));
  }
  std::error_code error;
  facts["gpu_direct_rdma"] = fs::exists(root / "sys/module/nvidia_peermem", error)
                                 ? "nvidia_peermem"
                                 : "no nvidia_peermem";
  return facts;
}

Facts changing_facts(const fs::path& root) {
  Facts facts;
  facts["load_average"] = first_line(root, "proc/loadavg");
  facts["memory_available"] = field_of(root, "proc/meminfo", "MemAvailable", ':');
  facts["processes_of_other_users"] = processes_of_others(root);
  facts["cpu_clock_now"] = clock_now(root);
  facts["cpu_throttle_events"] = throttle_events(root);
  add_adapter_errors(root, facts);
  return facts;
}

std::string file_system_of(const fs::path& path, const fs::path& root) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return "unavailable: " + error.message();
  std::ifstream file(root / "proc/self/mountinfo");
  std::string line, found = "unavailable: no mount point above it in /proc/self/mountinfo";
  std::size_t longest = 0;
  while (std::getline(file, line)) {
    // "36 35 98:0 /inside /mount/point options shared:1 - type source options"
    std::istringstream words(line);
    std::string word, mount, type;
    for (int field = 1; field <= 5; ++field) words >> mount;
    while (words >> word && word != "-") {
    }
    words >> type;
    mount = unescaped(mount);
    const std::string folder = mount == "/" ? mount : mount + "/";
    if (folder.size() >= longest && (real.string() + "/").starts_with(folder)) {
      longest = folder.size();
      found = text::printable(type, kMaxFact);
    }
  }
  return found;
}

}  // namespace scalemark
