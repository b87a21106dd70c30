// SPDX-License-Identifier: Apache-2.0
// Reads a node's sensors from /proc and /sys.
#include "common/hardware/sensors/node_sensors.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/text.hpp"

namespace scalemark::hardware {
namespace {

std::optional<double> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  double value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

std::string line_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

void add(Reading& reading, const char* name, const char* unit, std::optional<double> value) {
  if (value) reading.quantities.push_back({name, unit, *value});
}

/// MemAvailable of /proc/meminfo, in bytes.
std::optional<double> free_memory(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    double kib = 0;
    if (words >> name >> kib && name == "MemAvailable:") return kib * 1024;
  }
  return std::nullopt;
}

/// Clock of each CPU in Hz, from /proc/cpuinfo. There, "processor" comes before "cpu MHz".
std::map<int, double> clocks_of_cpuinfo(const std::filesystem::path& root) {
  std::map<int, double> clocks;
  std::ifstream file(root / "proc/cpuinfo");
  std::string line;
  int cpu = -1;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::istringstream value(line.substr(colon + 1));
    double megahertz = 0;
    if (line.starts_with("processor")) {
      value >> cpu;
    } else if (line.starts_with("cpu MHz") && value >> megahertz) {
      clocks[cpu] = megahertz * 1e6;
    }
  }
  return clocks;
}

/// The entries of the folder `path`; none if it cannot be read.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  for (std::filesystem::directory_iterator one(path, error), end; !error && one != end;
       one.increment(error))
    folders.push_back(one->path());
  return folders;
}

/// Temperature files of the CPUs' thermal zones. Where there are none (AMD), of the hwmon drivers
/// coretemp and k10temp.
std::vector<std::filesystem::path> cpu_temperatures(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> sensors;
  for (const auto& zone : folders_in(root / "sys/class/thermal")) {
    const std::string type = line_of(zone / "type");
    if (type.starts_with("x86_pkg_temp") || type.find("cpu") != std::string::npos)
      sensors.push_back(zone / "temp");
  }
  if (!sensors.empty()) return sensors;
  for (const auto& chip : folders_in(root / "sys/class/hwmon")) {
    const std::string name = line_of(chip / "name");
    if (name == "coretemp" || name == "k10temp") sensors.push_back(chip / "temp1_input");
  }
  return sensors;
}

}  // namespace

NodeSensors::NodeSensors(NodeWatch watch, std::uint64_t now)
    : watch_(std::move(watch)),
      energy_(watch_.root / "sys/class/powercap"),
      temperatures_(cpu_temperatures(watch_.root)) {
  last_ = count(now);
}

void NodeSensors::read_ticks(Counters& counters, std::optional<double>& runnable) const {
  std::ifstream file(watch_.root / "proc/stat");
  std::string line;
  Ticks whole, ranks;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (double value = 0; name == "procs_running" && words >> value) {
      runnable = value;
      break;
    }
    if (!name.starts_with("cpu") || name == "cpu") continue;
    // The eight fields are user nice system idle iowait irq softirq steal. Guest time is part of
    // user.
    std::array<double, 8> ticks{};
    for (double& one : ticks) words >> one;
    const Ticks cpu{
        ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6], ticks[7],
        ticks[0] + ticks[1] + ticks[2] + ticks[3] + ticks[4] + ticks[5] + ticks[6] + ticks[7]};
    const auto index = text::parse_integer(name.substr(3));
    const bool of_rank =
        watch_.cpus.empty() ||
        (index && std::ranges::binary_search(watch_.cpus, static_cast<int>(*index)));
    for (Ticks* sum : {&whole, of_rank ? &ranks : nullptr}) {
      if (sum == nullptr) continue;
      sum->busy += cpu.busy;
      sum->stolen += cpu.stolen;
      sum->all += cpu.all;
    }
  }
  // Some containers show only zeros.
  if (whole.all > 0) counters.whole = whole;
  if (ranks.all > 0) counters.ranks = ranks;
}

std::optional<double> NodeSensors::own_time() const {
  if (watch_.processes.empty()) return std::nullopt;
  double ticks = 0;
  for (const int process : watch_.processes) {
    const std::string line = line_of(watch_.root / "proc" / std::to_string(process) / "stat");
    // The second field is the program's name in parentheses, which may contain blanks and
    // parentheses.
    const std::size_t behind = line.rfind(')');
    if (behind == std::string::npos) return std::nullopt;
    std::istringstream words(line.substr(behind + 1));
    std::string skipped;
    for (int field = 3; field < 14; ++field) words >> skipped;
    double user = 0, system = 0;
    if (!(words >> user >> system)) return std::nullopt;
    ticks += user + system;
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::optional<double> NodeSensors::throttle_events() const {
  std::optional<double> events;
  for (const int cpu : watch_.cpus) {
    const std::filesystem::path folder =
        watch_.root / fmt::format("sys/devices/system/cpu/cpu{}/thermal_throttle", cpu);
    for (const char* name : {"core_throttle_count", "package_throttle_count"}) {
      if (const auto count = number_in(folder / name)) events = events.value_or(0) + *count;
    }
  }
  return events;
}

void NodeSensors::add_clocks(Reading& reading) const {
  std::vector<double> clocks;
  for (const int cpu : watch_.cpus) {
    const auto kilohertz = number_in(
        watch_.root / fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpu));
    if (kilohertz) clocks.push_back(*kilohertz * 1e3);
  }
  if (clocks.empty()) {
    for (const auto& [cpu, clock] : clocks_of_cpuinfo(watch_.root)) {
      if (watch_.cpus.empty() || std::ranges::binary_search(watch_.cpus, cpu))
        clocks.push_back(clock);
    }
  }
  if (clocks.empty()) return;
  double sum = 0;
  for (const double clock : clocks) sum += clock;
  add(reading, "core_clock", "Hz", sum / static_cast<double>(clocks.size()));
  add(reading, "core_clock_min", "Hz", *std::ranges::min_element(clocks));
}

std::optional<double> NodeSensors::temperature() const {
  std::optional<double> hottest;
  for (const std::filesystem::path& sensor : temperatures_) {
    if (const auto milli = number_in(sensor); milli && *milli > 0)
      hottest = std::max(hottest.value_or(0), *milli * 1e-3);
  }
  return hottest;
}

NodeSensors::Counters NodeSensors::count(std::uint64_t now) {
  Counters counters;
  counters.at = now;
  runnable_.reset();
  read_ticks(counters, runnable_);
  counters.own = own_time();
  counters.throttled = throttle_events();
  counters.joules = energy_.joules();
  return counters;
}

void NodeSensors::add_changes(const Counters& now, Reading& reading) const {
  if (now.at <= last_.at) return;
  const double seconds = static_cast<double>(now.at - last_.at) * 1e-9;
  // A tick is 10 ms, so a short interval may contain none.
  if (now.whole && last_.whole && now.whole->all > last_.whole->all) {
    const double all = now.whole->all - last_.whole->all;
    const double busy = now.whole->busy - last_.whole->busy;
    add(reading, "cpu_busy", "1", busy / all);
    add(reading, "steal", "1", (now.whole->stolen - last_.whole->stolen) / all);
    if (now.own && last_.own) {
      const double busy_s = busy / static_cast<double>(sysconf(_SC_CLK_TCK));
      add(reading, "other_cpus", "1", std::max(0.0, busy_s - (*now.own - *last_.own)) / seconds);
    }
  }
  if (now.ranks && last_.ranks && now.ranks->all > last_.ranks->all)
    add(reading, "rank_cpu_busy", "1",
        (now.ranks->busy - last_.ranks->busy) / (now.ranks->all - last_.ranks->all));
  if (now.throttled && last_.throttled)
    add(reading, "throttle_events", "1", *now.throttled - *last_.throttled);
  if (now.joules && last_.joules)
    add(reading, "package_power", "W", (*now.joules - *last_.joules) / seconds);
}

Reading NodeSensors::read(std::uint64_t now) {
  Reading reading;
  const Counters counters = count(now);
  add_changes(counters, reading);
  last_ = counters;
  add(reading, "load", "1", number_in(watch_.root / "proc/loadavg"));
  add(reading, "runnable", "1", runnable_);
  add_clocks(reading);
  add(reading, "free_memory", "By", free_memory(watch_.root));
  add(reading, "temperature", "Cel", temperature());
  return reading;
}

}  // namespace scalemark::hardware
