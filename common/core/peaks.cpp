// SPDX-License-Identifier: Apache-2.0
// Peaks of GPUs from their data sheets, and those of a file.
#include "common/core/peaks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/core/toml_errors.hpp"

namespace scalemark {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 64 << 10;
constexpr std::array<std::string_view, 5> kPrecisions = {"fp64", "fp32", "tf32", "bf16", "fp16"};
constexpr std::array<std::string_view, 3> kLinks = {"network", "nvlink", "pcie"};

/// 10^12 flop/s in the order of kPrecisions; 0: not computed in hardware.
struct Sheet {
  std::string_view model;  ///< as the driver names it
  std::array<double, kPrecisions.size()> tera;
};

constexpr std::array<double, 5> kV100 = {7.8, 15.7, 0, 0, 125};
constexpr std::array<double, 5> kA100 = {19.5, 19.5, 156, 312, 312};
constexpr std::array<double, 5> kH100Pcie = {51, 51, 378, 756, 756};
constexpr std::array<double, 5> kH100Nvl = {60, 60, 417.5, 835.5, 835.5};
constexpr std::array<double, 5> kH100Sxm = {67, 67, 494.7, 989.4, 989.4};

/// NVIDIA's data sheets of each product, without sparsity. Whole names only: parts of a GPU (MIG)
/// and products that share a chip have other peaks.
constexpr std::array<Sheet, 14> kSheets = {{
    {"Tesla V100-SXM2-16GB", kV100},
    {"Tesla V100-SXM2-32GB", kV100},
    {"NVIDIA A100-SXM4-40GB", kA100},
    {"NVIDIA A100-SXM4-80GB", kA100},
    {"NVIDIA A100-PCIE-40GB", kA100},
    {"NVIDIA A100 80GB PCIe", kA100},
    {"NVIDIA H100 PCIe", kH100Pcie},
    {"NVIDIA H100 NVL", kH100Nvl},
    {"NVIDIA H100 80GB HBM3", kH100Sxm},
    {"NVIDIA H200", kH100Sxm},
    {"NVIDIA H200 NVL", kH100Nvl},
    {"NVIDIA GH200 120GB", kH100Sxm},
    {"NVIDIA GH200 480GB", kH100Sxm},
    {"NVIDIA GH200 144G HBM3e", kH100Sxm},
}};

[[noreturn]] void unknown(const std::string& origin, const toml::node& node, std::string_view key,
                          const std::string& allowed) {
  fail_at(origin, node,
          fmt::format("unknown key '{}'; allowed: {}", text::printable(key, 80), allowed));
}

const toml::table& table_at(const std::string& origin, const toml::node& node,
                            std::string_view key) {
  if (const toml::table* table = node.as_table()) return *table;
  fail_at(origin, node, fmt::format("'{}' is a table", key));
}

std::map<std::string, double, std::less<>> rates(const std::string& origin,
                                                 const toml::table& table,
                                                 std::span<const std::string_view> names,
                                                 std::string_view unit) {
  std::map<std::string, double, std::less<>> found;
  for (const auto& [key, node] : table) {
    if (std::ranges::find(names, key.str()) == names.end())
      unknown(origin, node, key.str(), fmt::format("{}", fmt::join(names, ", ")));
    const auto number = node.is_number() ? node.value<double>() : std::nullopt;
    if (!number || !std::isfinite(*number) || *number <= 0)
      fail_at(origin, node, fmt::format("'{}' is a number of {} above 0", key.str(), unit));
    found[std::string(key.str())] = *number;
  }
  return found;
}

}  // namespace

Peaks Peaks::parse(std::string_view toml, const std::string& origin) {
  Peaks peaks;
  toml::table document;
  try {
    document = toml::parse(toml, origin);
  } catch (const toml::parse_error& error) {
    throw UsageError(fmt::format("{}:{}: {}", origin, error.source().begin.line,
                                 text::printable(error.description(), 200)));
  }
  for (const auto& [key, node] : document) {
    if (key.str() == "link") {
      peaks.link_ = rates(origin, table_at(origin, node, key.str()), kLinks, "B/s");
      continue;
    }
    if (key.str() != "gpu" && key.str() != "cpu_core")
      unknown(origin, node, key.str(), "gpu, cpu_core, link");
    for (const auto& [kind, values] : table_at(origin, node, key.str())) {
      if (kind.str() != "flops") unknown(origin, values, kind.str(), "flops");
      (key.str() == "gpu" ? peaks.gpu_ : peaks.cpu_core_) =
          rates(origin, table_at(origin, values, kind.str()), kPrecisions, "flop/s");
    }
  }
  return peaks;
}

Peaks Peaks::from_file(const std::string& file) {
  const std::string shown = text::printable(file, 200);
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || size > kMaxFileBytes) {
    throw UsageError(fmt::format("--peak is '{}'; allowed: a TOML file of up to 64 KiB{}", shown,
                                 error ? " (" + error.message() + ")" : ""));
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream) throw UsageError(fmt::format("--peak is '{}', which cannot be read", shown));
  return parse(content.str(), shown);
}

std::optional<Peak> Peaks::gpu_flops(const std::string& model, const std::string& precision) const {
  if (const auto own = gpu_.find(precision); own != gpu_.end()) return Peak{own->second, "--peak"};
  const auto* const sheet = std::ranges::find(kSheets, model, &Sheet::model);
  const auto* const place = std::ranges::find(kPrecisions, precision);
  if (sheet == kSheets.end() || place == kPrecisions.end()) return std::nullopt;
  const double tera = sheet->tera.at(static_cast<std::size_t>(place - kPrecisions.begin()));
  if (tera <= 0) return std::nullopt;
  return Peak{tera * 1e12, "data sheet of " + model};
}

std::optional<Peak> Peaks::cpu_flops(int cores, const std::string& precision) const {
  const auto own = cpu_core_.find(precision);
  if (own == cpu_core_.end()) return std::nullopt;
  return Peak{own->second * cores, fmt::format("--peak, {} core{}", cores, cores == 1 ? "" : "s")};
}

std::optional<Peak> Peaks::link(const std::string& name) const {
  const auto own = link_.find(name);
  return own == link_.end() ? std::nullopt : std::optional(Peak{own->second, "--peak"});
}

}  // namespace scalemark
