// SPDX-License-Identifier: Apache-2.0
// Names of element types and reductions.
#include "common/collective/types.hpp"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::collective {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, 7> kTypes = {"int8", "int32", "int64", "fp16",
                                                    "bf16", "fp32",  "fp64"};
constexpr std::array<std::string_view, 5> kOps = {"sum", "prod", "min", "max", "avg"};

template <std::size_t N>
std::size_t find(const std::array<std::string_view, N>& names, std::string_view text,
                 const char* what) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return i;
  }
  const std::vector<std::string> all(names.begin(), names.end());
  throw UsageError(fmt::format("unknown {} '{}' (available: {})", what, text::printable(text, 64),
                               text::join(all, ", ")));
}

}  // namespace

std::string_view to_string(DType type) { return kTypes.at(static_cast<std::size_t>(type)); }
DType dtype_from(std::string_view text) {
  return static_cast<DType>(find(kTypes, text, "element type"));
}

std::string_view to_string(ReduceOp op) { return kOps.at(static_cast<std::size_t>(op)); }
ReduceOp reduce_op_from(std::string_view text) {
  return static_cast<ReduceOp>(find(kOps, text, "reduction"));
}

}  // namespace scalemark::collective
