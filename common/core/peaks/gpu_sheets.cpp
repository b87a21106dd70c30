// SPDX-License-Identifier: Apache-2.0
// NVIDIA's data sheets.
#include "common/core/peaks/gpu_sheets.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark {
namespace {

/// 10^12 flop/s in the order of kPrecisions; 0: not computed in hardware, or not in the sheet.
using Tera = std::array<double, kPrecisions.size()>;

struct Sheet {
  std::string_view model;  ///< as the driver names it
  Tera tera;
  double gigabytes_per_s;  ///< 0: the sheet rounds it to TB/s, or its editions differ
};

constexpr Tera kV100 = {7.8, 15.7, 0, 0, 125, 0, 0};
constexpr Tera kA100 = {19.5, 19.5, 156, 312, 312, 0, 0};
constexpr Tera kA30 = {10.3, 10.3, 82, 165, 165, 0, 0};
constexpr Tera kA10 = {0, 31.2, 62.5, 125, 125, 0, 0};
constexpr Tera kA40 = {0, 37.4, 74.8, 149.7, 149.7, 0, 0};
constexpr Tera kL4 = {0, 30.3, 60, 121, 121, 242.5, 0};
constexpr Tera kL40s = {0, 91.6, 183, 362.05, 362.05, 733, 0};
constexpr Tera kH100Pcie = {51, 51, 378, 756, 756, 1513, 0};
constexpr Tera kH100Nvl = {60, 60, 417.5, 835.5, 835.5, 1670.5, 0};
constexpr Tera kH100Sxm = {67, 67, 494.7, 989.4, 989.4, 1978.9, 0};
constexpr Tera kB200 = {0, 0, 1100, 2250, 2250, 4500, 9000};

/// NVIDIA's data sheets of each product, without sparsity (half of what is printed with it). Whole
/// names only: parts of a GPU (MIG) and products that share a chip have other peaks.
constexpr std::array kSheets = {
    Sheet{"Tesla V100-SXM2-16GB", kV100, 900},
    Sheet{"Tesla V100-SXM2-32GB", kV100, 900},
    Sheet{"NVIDIA A100-SXM4-40GB", kA100, 1555},
    Sheet{"NVIDIA A100-SXM4-80GB", kA100, 2039},
    Sheet{"NVIDIA A100-PCIE-40GB", kA100, 1555},
    Sheet{"NVIDIA A100 80GB PCIe", kA100, 1935},
    Sheet{"NVIDIA A30", kA30, 933},
    Sheet{"NVIDIA A10", kA10, 600},
    Sheet{"NVIDIA A40", kA40, 696},
    Sheet{"NVIDIA L4", kL4, 300},
    Sheet{"NVIDIA L40S", kL40s, 864},
    Sheet{"NVIDIA H100 PCIe", kH100Pcie, 0},
    Sheet{"NVIDIA H100 NVL", kH100Nvl, 0},
    Sheet{"NVIDIA H100 80GB HBM3", kH100Sxm, 3350},
    Sheet{"NVIDIA H200", kH100Sxm, 4800},
    Sheet{"NVIDIA H200 NVL", kH100Nvl, 4800},
    Sheet{"NVIDIA GH200 120GB", kH100Sxm, 4000},
    Sheet{"NVIDIA GH200 480GB", kH100Sxm, 4000},
    Sheet{"NVIDIA GH200 144G HBM3e", kH100Sxm, 4900},
    Sheet{"NVIDIA B200", kB200, 0},
};

const Sheet* sheet_of(const std::string& model) {
  const auto* const sheet = std::ranges::find(kSheets, model, &Sheet::model);
  return sheet == kSheets.end() ? nullptr : sheet;
}

hardware::Peak no_sheet(const std::string& model) {
  return hardware::unknown_peak(
      fmt::format("no data sheet of {} is known here", text::printable(model, 80)));
}

}  // namespace

hardware::Peak sheet_flops(const std::string& model, std::string_view precision) {
  const Sheet* sheet = sheet_of(model);
  if (sheet == nullptr) return no_sheet(model);
  const auto* const place = std::ranges::find(kPrecisions, precision);
  const double tera = place == kPrecisions.end()
                          ? 0
                          : sheet->tera.at(static_cast<std::size_t>(place - kPrecisions.begin()));
  if (tera <= 0)
    return hardware::unknown_peak(
        fmt::format("no rate in {} is known from the data sheet of {}", precision, model));
  return {tera * 1e12, "data sheet of " + model, {}};
}

hardware::Peak sheet_memory(const std::string& model) {
  const Sheet* sheet = sheet_of(model);
  if (sheet == nullptr || sheet->gigabytes_per_s <= 0) return no_sheet(model);
  return {sheet->gigabytes_per_s * 1e9, "data sheet of " + model, {}};
}

}  // namespace scalemark
