// SPDX-License-Identifier: Apache-2.0
// Peak arithmetic rate of a CPU core, from a table of CPU models and the maximum clock.
#include "common/hardware/peaks/cpu_peak.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/small_files.hpp"
#include "common/base/text.hpp"

namespace scalemark::hardware {
namespace {

constexpr std::size_t kMaxCpuinfo = 64 << 10, kMaxPolicies = 65536;
/// 20 GHz: higher values are treated as wrong.
constexpr double kMaxHertz = 20e9;

struct Units {
  std::string_view vendor;              ///< "vendor_id" of /proc/cpuinfo; on Arm "CPU implementer"
  int family, first_model, last_model;  ///< on Arm, the model is "CPU part"
  int count, bits;
};

/// Skylake-SP, Cascade Lake and Cooper Lake share this number. Some of their products have one
/// 512-bit unit, others two.
constexpr int kSkylakeServer = 85;
/// Number and width of the fused multiply-add units per core.
/// - Intel: 64-ia-32-architectures-optimization manual and ark.intel.com ("# of AVX-512 FMA
///   Units").
/// - AMD: Software Optimization Guides of families 17h, 19h and 1Ah. Zen 4 executes a 512-bit
///   operation in two halves.
/// - Arm: Software Optimization Guides of Neoverse N1, V1 and V2.
/// - Fujitsu: A64FX Microarchitecture Manual.
/// - WikiChip has all of them.
constexpr std::array kUnits = {
    Units{"GenuineIntel", 6, 63, 63, 2, 256},  // Haswell-EP
    Units{"GenuineIntel", 6, 79, 79, 2, 256},  // Broadwell-EP
    Units{"GenuineIntel", 6, kSkylakeServer, kSkylakeServer, 2, 512},
    Units{"GenuineIntel", 6, 106, 106, 2, 512},       // Ice Lake-SP
    Units{"GenuineIntel", 6, 143, 143, 2, 512},       // Sapphire Rapids
    Units{"GenuineIntel", 6, 207, 207, 2, 512},       // Emerald Rapids
    Units{"GenuineIntel", 6, 173, 173, 2, 512},       // Granite Rapids
    Units{"AuthenticAMD", 0x17, 0x01, 0x01, 2, 128},  // Zen: Naples
    Units{"AuthenticAMD", 0x17, 0x31, 0x31, 2, 256},  // Zen 2: Rome
    Units{"AuthenticAMD", 0x17, 0x71, 0x71, 2, 256},  // Zen 2: Matisse
    Units{"AuthenticAMD", 0x19, 0x00, 0x0F, 2, 256},  // Zen 3: Milan
    Units{"AuthenticAMD", 0x19, 0x20, 0x2F, 2, 256},  // Zen 3: Vermeer
    Units{"AuthenticAMD", 0x19, 0x10, 0x1F, 2, 256},  // Zen 4: Genoa
    Units{"AuthenticAMD", 0x19, 0x60, 0x6F, 2, 256},  // Zen 4: Raphael
    Units{"AuthenticAMD", 0x19, 0xA0, 0xAF, 2, 256},  // Zen 4c: Bergamo, Siena
    Units{"AuthenticAMD", 0x1A, 0x00, 0x1F, 2, 512},  // Zen 5, 5c: Turin
    Units{"0x41", 0, 0xD0C, 0xD0C, 2, 128},           // Neoverse N1
    Units{"0x41", 0, 0xD40, 0xD40, 2, 256},           // Neoverse V1
    Units{"0x41", 0, 0xD4F, 0xD4F, 4, 128},           // Neoverse V2: Grace
    Units{"0x46", 0, 0x001, 0x001, 2, 512},           // A64FX
};

/// flop per cycle and core of Intel's matrix unit (AMX). A product of two tiles, 16 x 32 and 32 x
/// 16 numbers of 16 bits, takes 16 cycles. Source: Intel 64 and IA-32 Architectures Optimization
/// Reference Manual, chapter on AMX (1024 operations per cycle).
constexpr double kMatrixFlops = 2.0 * 16 * 16 * 32 / 16;

struct Cpu {
  std::map<std::string, std::string> fields;
  std::set<std::string> flags;

  std::string text(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? "" : found->second;
  }
  int number(const std::string& name) const {
    const std::string value = text(name);
    const bool is_hexadecimal = value.starts_with("0x");
    int found = -1;
    const char* const end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data() + (is_hexadecimal ? 2 : 0), end, found,
                                               is_hexadecimal ? 16 : 10);
    return error == std::errc() && rest == end ? found : -1;
  }
};

std::string without_blanks(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t"), to = text.find_last_not_of(" \t");
  return from == std::string_view::npos ? "" : std::string(text.substr(from, to - from + 1));
}

/// The first processor listed in /proc/cpuinfo.
Cpu first_cpu(std::string_view cpuinfo) {
  Cpu cpu;
  std::istringstream lines{std::string(cpuinfo.substr(0, kMaxCpuinfo))};
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) {
      if (cpu.fields.empty()) continue;
      break;
    }
    cpu.fields.emplace(without_blanks(line.substr(0, colon)),
                       without_blanks(line.substr(colon + 1)));
  }
  for (const char* name : {"flags", "Features"}) {
    std::istringstream words(cpu.text(name));
    for (std::string word; words >> word;) cpu.flags.insert(word);
  }
  return cpu;
}

/// Number of 512-bit units of a Skylake-SP, Cascade Lake or Cooper Lake, by model name; 0 if the
/// name does not tell. Platinum, Gold 6xxx, Gold 5122 and Gold 5222 have two; others have one.
int units_of_skylake(const std::string& name) {
  const auto has = [&](const char* words) { return name.find(words) != std::string::npos; };
  if (has("Platinum") || has("Gold 6") || has("Gold 5122") || has("Gold 5222")) return 2;
  return has("Gold 5") || has("Silver") || has("Bronze") ? 1 : 0;
}

/// The units of a CPU; count 0 if the model is not in the table.
Units units_of(const Cpu& cpu) {
  const bool is_arm = cpu.fields.contains("CPU implementer");
  const std::string vendor = cpu.text(is_arm ? "CPU implementer" : "vendor_id");
  const int family = is_arm ? 0 : cpu.number("cpu family");
  const int model = cpu.number(is_arm ? "CPU part" : "model");
  for (Units units : kUnits) {
    if (units.vendor != vendor || units.family != family || model < units.first_model ||
        model > units.last_model)
      continue;
    if (!is_arm && !cpu.flags.contains("fma")) return {};
    if (!is_arm && model == kSkylakeServer) units.count = units_of_skylake(cpu.text("model name"));
    // With AVX-512 switched off, the units execute 256-bit operations, two per cycle.
    if (!is_arm && units.bits == 512 && !cpu.flags.contains("avx512f"))
      return {units.vendor, family, model, model, 2, 256};
    return units;
  }
  return {};
}

std::string model_text(const Cpu& cpu) {
  const std::string name = cpu.text("model name");
  return name.empty() ? "this model of CPU" : text::printable(name, 80);
}

double hertz_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  double kilohertz = 0;
  return file >> kilohertz && kilohertz > 0 && kilohertz * 1e3 <= kMaxHertz ? kilohertz * 1e3 : 0;
}

/// Whether cpuinfo_max_freq may leave out boost clocks. The acpi-cpufreq driver includes them only
/// where it knows them; the maximum is then above all frequencies that it offers. Source: Linux,
/// drivers/cpufreq/acpi-cpufreq.c.
bool leaves_out_boost(const std::filesystem::path& folder, double highest) {
  if (first_line(folder, "scaling_driver") != "acpi-cpufreq") return false;
  std::istringstream offered(first_line(folder, "scaling_available_frequencies"));
  double most = 0;
  for (double kilohertz = 0; offered >> kilohertz;) most = std::max(most, kilohertz * 1e3);
  return highest <= most || most == 0;
}

}  // namespace

Peak highest_clock(const std::filesystem::path& root) {
  const std::filesystem::path folder = root / "sys/devices/system/cpu/cpufreq";
  Peak clock;
  const bool may_boost = first_line(folder, "boost") != "0";
  for (const std::string& name : names_in(folder, kMaxPolicies)) {
    if (!name.starts_with("policy")) continue;
    const double hertz = hertz_in(folder / name / "cpuinfo_max_freq");
    if (may_boost && leaves_out_boost(folder / name, hertz))
      return unknown_peak("cpufreq may hide CPU clocks above the nominal one; set --peak");
    clock.value = std::max(clock.value, hertz);
  }
  if (!clock.is_known())
    clock.missing = "the system does not report the CPU's maximum clock; set --peak";
  return clock;
}

Peak core_flops(std::string_view cpuinfo, const Peak& clock, std::string_view precision) {
  const Cpu cpu = first_cpu(cpuinfo);
  if (cpu.flags.contains("hypervisor"))
    return unknown_peak("this virtual machine hides the maximum clock; set --peak");
  const Units units = units_of(cpu);
  if (units.count == 0)
    return unknown_peak(
        fmt::format("the vector units of {} are unknown; set --peak", model_text(cpu)));
  if (!clock.is_known()) return clock;
  const std::string at = fmt::format("at the highest clock of {:.4g} GHz", clock.value * 1e-9);
  const std::string matrix_flag = fmt::format("amx_{}", precision);
  if (cpu.flags.contains(matrix_flag) && (precision == "bf16" || precision == "fp16"))
    return {kMatrixFlops * clock.value, fmt::format("matrix unit (AMX), theoretical, {}", at), {}};
  const int width = precision == "fp64" ? 64 : precision == "fp32" ? 32 : 0;
  if (width == 0)
    return unknown_peak(fmt::format("the peak rate of a core of {} in {} is unknown; set --peak",
                                    model_text(cpu), precision));
  const double a_cycle = 2.0 * units.count * units.bits / width;
  return {a_cycle * clock.value,
          fmt::format("{} x {} bits multiply-add, theoretical, {}", units.count, units.bits, at),
          {}};
}

Peak read_core_flops(std::string_view precision, const std::filesystem::path& root) {
  std::ifstream file(root / "proc/cpuinfo");
  std::string content(kMaxCpuinfo, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return core_flops(content, highest_clock(root), precision);
}

}  // namespace scalemark::hardware
