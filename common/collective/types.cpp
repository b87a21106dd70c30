// SPDX-License-Identifier: Apache-2.0
// Names of element types and reductions.
#include "common/collective/types.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/collective/names.hpp"

namespace scalemark::collective {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, kDTypes> kTypes = {
    "int8", "uint8", "int32", "uint32", "int64",    "uint64",
    "fp16", "bf16",  "fp32",  "fp64",   "fp8_e4m3", "fp8_e5m2"};
constexpr std::array<std::string_view, 5> kOps = {"sum", "prod", "min", "max", "avg"};
constexpr std::array<std::string_view, kDeviceUses.size()> kUseNames = {
    "messages", "collectives", "one_sided", "nonblocking_collectives"};

}  // namespace

std::size_t index_of_name(std::span<const std::string_view> names, std::string_view text,
                          std::string_view what) {
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::vector<std::string> all(names.begin(), names.end());
  throw UsageError(fmt::format("unknown {} '{}' (available: {})", what, text::printable(text, 64),
                               text::join(all, ", ")));
}

std::string_view to_string(DType type) { return kTypes.at(static_cast<std::size_t>(type)); }
DType dtype_from(std::string_view text) {
  return static_cast<DType>(index_of_name(kTypes, text, "element type"));
}

std::string_view to_string(ReduceOp op) { return kOps.at(static_cast<std::size_t>(op)); }
ReduceOp reduce_op_from(std::string_view text) {
  return static_cast<ReduceOp>(index_of_name(kOps, text, "reduction"));
}

std::string_view to_string(DeviceUse use) { return kUseNames.at(static_cast<std::size_t>(use)); }

}  // namespace scalemark::collective
