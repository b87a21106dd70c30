// SPDX-License-Identifier: Apache-2.0
// Takes the largest readings of each device, and compares those of one model.
#include "common/analysis/host_sensors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "common/analysis/adapter_errors.hpp"
#include "common/analysis/host_facts.hpp"
#include "common/analysis/lone_hosts.hpp"
#include "common/base/text.hpp"
#include "common/fleet/lone_nodes.hpp"
#include "common/result/table_columns.hpp"
#include "common/stats/pair_distance.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::analysis {
namespace {

using fleet::NodeVerdict;

constexpr double kHeatShare = 0.01, kHotter = 15,
                 kSlowerClock = 0.1;  // of the time; K; of the clock
constexpr double kFarDeviations = 5;
constexpr const char *kGpu = "GPU", *kGpuMemory = "GPU memory",
                     *kLink = "copies between host and GPU";
constexpr const char *kCpuClock = "core_clock", *kGpuClock = "sm_clock";
constexpr std::size_t kLongestName = 80;
constexpr const char* kThrottled = "throttled";  // events while a case measured

/// The value of a reading, or NaN.
double most(const std::map<std::string, double>& readings, const char* quantity) {
  const auto found = readings.find(quantity);
  return found == readings.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

const char* processor(const std::pair<std::string, std::string>& device) {
  return device.second.empty() ? kCpu : kGpu;
}

std::string gpu_model_of(const Run& run, const std::string& host, const std::string& pci) {
  for (const RankInfo& rank : run.ranks)
    if (rank.node == host && rank.gpu_pci == pci) return rank.gpu_model;
  return {};
}

void keep_largest(std::map<std::string, double>& readings, const std::string& quantity,
                  double value) {
  if (!std::isfinite(value)) return;
  const auto [known, is_new] = readings.try_emplace(quantity, value);
  if (!is_new) known->second = std::max(known->second, value);
}

}  // namespace

void HostSensors::add(const Run& run, const CaseResult& result) {
  if (runs_.insert(run.uuid).second)
    for (const AdapterErrors& one : adapter_errors(run))
      adapter_errors_[{one.host, one.adapter, one.counter}] += one.count;
  const std::string device = result.params.text("device", "");
  for (const auto& [name, on_gpu] : {std::pair{"telemetry/gpu", true}, {"telemetry/node", false}})
    if (const auto table = result.tables.find(name); table != result.tables.end())
      add_rows(run, table->second, on_gpu, device == (on_gpu ? "cuda" : "cpu"));
}

void HostSensors::add_rows(const Run& run, const Table& table, bool on_gpu, bool computes) {
  const auto* hosts = values_of<std::string>(table, "node");
  const auto* gpus = values_of<std::string>(table, "device");
  if (hosts == nullptr || (on_gpu && (gpus == nullptr || gpus->size() != hosts->size()))) return;
  std::map<Device, double> throttled;  // since the table's first reading
  for (std::size_t row = 0; row < hosts->size(); ++row) {
    const std::string& host = (*hosts)[row];
    const Device device(host, on_gpu ? (*gpus)[row] : std::string());
    const auto [known, is_new] = devices_.try_emplace(device);
    Readings& readings = known->second;
    if (is_new) {
      const std::string model =
          on_gpu ? gpu_model_of(run, host, device.second) : fact_of(run, host, "cpu_model");
      readings.model = (on_gpu ? "gpu " : "cpu ") + model;
      if (on_gpu) remapped_[host] = fact_of(run, host, "gpu_remapped_rows");
    }
    for (const Column& column : table.columns) {
      const auto* values = std::get_if<std::vector<double>>(&column.values);
      if (values == nullptr || row >= values->size()) continue;
      const double value = (*values)[row];
      if (!computes && (column.name == kGpuClock || column.name == kCpuClock)) continue;
      keep_largest(readings.most, column.name, value);
      if (column.name != "throttle_events" || !std::isfinite(value)) continue;
      const auto [events, is_first] = throttled.try_emplace(device, 0);
      if (!is_first) events->second += value;
      keep_largest(readings.most, kThrottled, events->second);
    }
  }
}

HostSensors::Usual HostSensors::usual(const char* quantity) const {
  std::map<std::string, std::vector<double>> by_model;
  for (const auto& [device, readings] : devices_)
    if (const double own = most(readings.most, quantity); !std::isnan(own))
      by_model[readings.model].push_back(own);
  Usual found;
  for (const auto& [model, values] : by_model)
    if (values.size() >= fleet::kMinLoneNodes)
      found[model] = {stats::median(values), stats::pair_distance(values)};
  return found;
}

void HostSensors::judge_alone(const Device& device, const Readings& readings,
                              std::vector<SensorFinding>& found) const {
  const std::string &host = device.first, &gpu = device.second;
  const auto say = [&](const char* component, NodeVerdict verdict, std::string reason) {
    found.push_back({host, component, gpu, verdict, std::move(reason)});
  };
  if (const double errors = most(readings.most, "ecc_uncorrected"); errors > 0)
    say(kGpuMemory, NodeVerdict::bad,
        fmt::format("{:.0f} uncorrectable ECC errors since its driver was loaded", errors));
  if (const double share = most(readings.most, "heat_slowed"); share >= kHeatShare)
    say(kGpu, NodeVerdict::suspect,
        fmt::format("heat slowed its clock for up to {:.0f} % of the time", 100 * share));
  if (const double events = most(readings.most, kThrottled); events > 0)
    say(kCpu, NodeVerdict::suspect,
        fmt::format("{:.0f} thermal throttling events in a case", events));
}

void HostSensors::compare(
    const char* quantity,
    const std::function<void(const Device&, double own, const Spread&)>& judge) const {
  const Usual all = usual(quantity);
  for (const auto& [device, readings] : devices_) {
    const auto model = all.find(readings.model);
    const double own = most(readings.most, quantity);
    if (model != all.end() && !std::isnan(own)) judge(device, own, model->second);
  }
}

void HostSensors::judge_links(const char* quantity, const char* what, NodeVerdict verdict,
                              std::vector<SensorFinding>& found) const {
  compare(quantity, [&](const Device& device, double own, const Spread& usual) {
    if (own < usual.median)
      found.push_back({device.first, kLink, device.second, verdict,
                       fmt::format("PCIe {} {:.0f}, most have {:.0f}", what, own, usual.median)});
  });
}

void HostSensors::judge_heat(std::vector<SensorFinding>& found) const {
  compare("temperature", [&](const Device& device, double own, const Spread& usual) {
    if (own - usual.median > std::max(kHotter, kFarDeviations * usual.deviation))
      found.push_back(
          {device.first, processor(device), device.second, NodeVerdict::suspect,
           fmt::format("{:.0f} degrees Celsius, the median is {:.0f}", own, usual.median)});
  });
}

void HostSensors::judge_clocks(const char* quantity, std::vector<SensorFinding>& found) const {
  compare(quantity, [&](const Device& device, double own, const Spread& usual) {
    const double limit = std::max(kSlowerClock * usual.median, kFarDeviations * usual.deviation);
    if (usual.median - own > limit)
      found.push_back({device.first, processor(device), device.second, NodeVerdict::suspect,
                       fmt::format("its clock reached {:.2f} GHz, the median is {:.2f} GHz",
                                   own * 1e-9, usual.median * 1e-9)});
  });
}

std::vector<SensorFinding> HostSensors::findings() const {
  std::vector<SensorFinding> found;
  for (const auto& [device, readings] : devices_) judge_alone(device, readings, found);
  judge_links("pcie_width", "width", NodeVerdict::bad, found);
  judge_links("pcie_generation", "generation", NodeVerdict::suspect, found);
  judge_heat(found);
  judge_clocks(kCpuClock, found);
  judge_clocks(kGpuClock, found);
  for (const auto& [where, count] : adapter_errors_) {
    const auto& [host, adapter, counter] = where;
    found.push_back({host,
                     kNetwork,
                     {},
                     NodeVerdict::suspect,
                     fmt::format("{} of {} rose by {} while it was measured", counter,
                                 text::printable(adapter, kLongestName), count)});
  }
  for (const auto& [host, rows] : remapped_) {
    const bool failed = rows.find(", failed") != std::string::npos;
    if (failed || rows.find(", pending") != std::string::npos)
      found.push_back({host,
                       kGpuMemory,
                       {},
                       failed ? NodeVerdict::bad : NodeVerdict::suspect,
                       "remapped rows: " + text::printable(rows, kLongestName)});
  }
  return found;
}

}  // namespace scalemark::analysis
