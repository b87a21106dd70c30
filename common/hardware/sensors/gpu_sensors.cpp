// SPDX-License-Identifier: Apache-2.0
// Reads GPU sensors and settings from NVML.
#include "common/hardware/sensors/gpu_sensors.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/hardware/nvml_library.hpp"

namespace scalemark::hardware {
namespace {

std::string names_of(unsigned long long reasons) {
  std::vector<std::string> names;
  for (const nvml::ClockEventReason& reason : nvml::kClockEventReasons) {
    if ((reasons & reason.bit) != 0) names.emplace_back(reason.name);
  }
  return names.empty() ? "none" : text::join(names, "+");
}

/// The number that an NVML function returns; nothing if the function is missing or fails.
template <class Value, class Function, class... Arguments>
std::optional<double> number(Function function, Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != nvml::kSuccess) return std::nullopt;
  return static_cast<double>(value);
}

std::string on_off(std::optional<double> value) {
  return !value ? "unavailable: not reported by NVML" : *value != 0 ? "on" : "off";
}

std::string scaled(std::optional<double> value, double factor, const char* unit) {
  if (!value) return "unavailable: not reported by NVML";
  return fmt::format("{:g}{}{}", *value * factor, *unit == '\0' ? "" : " ", unit);
}

std::map<std::string, std::string> settings_of(const nvml::Library& nvml, nvml::Device* device) {
  std::map<std::string, std::string> settings;
  const std::string vbios = nvml::text_of(nvml.vbios, device);
  settings["vbios"] = vbios.empty() ? "unavailable: not reported by NVML" : vbios;
  settings["power_limit"] = scaled(number<unsigned>(nvml.power_limit, device), 1e-3, "W");
  settings["power_limit_default"] =
      scaled(number<unsigned>(nvml.default_power_limit, device), 1e-3, "W");
  settings["power_limit_enforced"] =
      scaled(number<unsigned>(nvml.enforced_power_limit, device), 1e-3, "W");
  settings["sm_clock_max"] =
      scaled(number<unsigned>(nvml.max_clock, device, nvml::kSmClock), 1, "MHz");
  settings["memory_clock_max"] =
      scaled(number<unsigned>(nvml.max_clock, device, nvml::kMemoryClock), 1, "MHz");
  settings["pcie_generation_max"] =
      scaled(number<unsigned>(nvml.max_pcie_generation, device), 1, "");
  settings["pcie_width_max"] = scaled(number<unsigned>(nvml.max_pcie_width, device), 1, "");
  settings["persistence"] = on_off(number<unsigned>(nvml.persistence, device));
  settings["compute_mode"] = scaled(number<unsigned>(nvml.compute_mode, device), 1, "");
  unsigned current = 0, pending = 0;
  const auto mode_of = [&](auto function) {
    const bool told = function && function(device, &current, &pending) == nvml::kSuccess;
    return on_off(told ? std::optional<double>(current) : std::nullopt);
  };
  settings["ecc"] = mode_of(nvml.ecc_mode);
  settings["mig"] = mode_of(nvml.mig_mode);
  unsigned corrected = 0, uncorrected = 0, failed = 0;
  const bool rows = nvml.remapped_rows && nvml.remapped_rows(device, &corrected, &uncorrected,
                                                             &pending, &failed) == nvml::kSuccess;
  settings["remapped_rows"] =
      rows ? fmt::format("{} corrected, {} uncorrected{}{}", corrected, uncorrected,
                         pending ? ", pending" : "", failed ? ", failed" : "")
           : "unavailable: not reported by NVML";
  return settings;
}

}  // namespace

struct GpuSensors::State {
  State(const std::string& pci_bus_id, const std::string& library)
      : running(library), device(running.find(pci_bus_id)) {}

  /// Fraction of the time since the previous call in which `cause` reduced the clocks; nothing at
  /// the first call.
  std::optional<double> held_down(int cause, std::optional<nvml::Violation>& last) const {
    nvml::Violation now{};
    if (running.nvml.violation == nullptr ||
        running.nvml.violation(device, cause, &now) != nvml::kSuccess)
      return std::nullopt;
    const auto before = std::exchange(last, now);
    if (!before || now.reference_us <= before->reference_us) return std::nullopt;
    const auto passed = static_cast<double>(now.reference_us - before->reference_us) * 1e3;
    const auto held = now.violation_ns >= before->violation_ns
                          ? static_cast<double>(now.violation_ns - before->violation_ns)
                          : 0.0;
    return std::min(1.0, held / passed);
  }

  nvml::Running running;
  nvml::Device* device;
  std::optional<nvml::Violation> by_power, by_heat;
};

GpuSensors::GpuSensors(const std::string& pci_bus_id, const std::string& library)
    : state_(std::make_unique<State>(pci_bus_id, library)) {
  if (!found()) return;
  state_->held_down(nvml::kByPower, state_->by_power);
  state_->held_down(nvml::kByHeat, state_->by_heat);
}

GpuSensors::~GpuSensors() = default;

bool GpuSensors::found() const { return state_->device != nullptr; }

Reading GpuSensors::read() {
  Reading reading;
  if (!found()) return reading;
  const nvml::Library& nvml = state_->running.nvml;
  nvml::Device* device = state_->device;
  const auto add = [&](const char* name, const char* unit, std::optional<double> value,
                       double factor) {
    if (value) reading.quantities.push_back({name, unit, *value * factor});
  };
  add("sm_clock", "Hz", number<unsigned>(nvml.clock, device, nvml::kSmClock), 1e6);
  add("memory_clock", "Hz", number<unsigned>(nvml.clock, device, nvml::kMemoryClock), 1e6);
  add("power", "W", number<unsigned>(nvml.power, device), 1e-3);
  add("temperature", "Cel", number<unsigned>(nvml.temperature, device, nvml::kGpuTemperature), 1);
  add("power_capped", "1", state_->held_down(nvml::kByPower, state_->by_power), 1);
  add("heat_slowed", "1", state_->held_down(nvml::kByHeat, state_->by_heat), 1);
  add("ecc_corrected", "1",
      number<unsigned long long>(nvml.ecc_errors, device, nvml::kCorrectedErrors,
                                 nvml::kSinceDriverLoad),
      1);
  add("ecc_uncorrected", "1",
      number<unsigned long long>(nvml.ecc_errors, device, nvml::kUncorrectedErrors,
                                 nvml::kSinceDriverLoad),
      1);
  add("pcie_generation", "1", number<unsigned>(nvml.pcie_generation, device), 1);
  add("pcie_width", "1", number<unsigned>(nvml.pcie_width, device), 1);
  unsigned long long reasons = 0;
  if (nvml.clock_event_reasons && nvml.clock_event_reasons(device, &reasons) == nvml::kSuccess)
    reading.texts["clock_event_reasons"] = names_of(reasons);
  return reading;
}

bool is_slowed_down(const std::string& clock_event_reasons) {
  const std::vector<std::string> names = text::split(clock_event_reasons, '+');
  return std::ranges::any_of(nvml::kClockEventReasons, [&](const nvml::ClockEventReason& reason) {
    return reason.slows_down && std::ranges::find(names, reason.name) != names.end();
  });
}

std::map<std::string, std::map<std::string, std::string>> gpu_settings(
    std::span<const std::string> pci_bus_ids, const std::string& library) {
  std::map<std::string, std::map<std::string, std::string>> settings;
  if (pci_bus_ids.empty()) return settings;
  const nvml::Running running(library);
  for (const std::string& address : pci_bus_ids) {
    if (nvml::Device* device = running.find(address))
      settings[address] = settings_of(running.nvml, device);
  }
  return settings;
}

}  // namespace scalemark::hardware
