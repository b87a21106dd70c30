// SPDX-License-Identifier: Apache-2.0
// The highest rates that hardware can reach, to say what part of them was reached.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/hardware/peaks/peak.hpp"

namespace scalemark {

using hardware::Peak;

/// What a file says (--peak), before what is known otherwise. Floating-point peaks are by
/// precision: fp64, fp32, tf32, bf16, fp16, fp8, fp4; dense, tensor cores included where they
/// compute in that precision (so fp64's is not the one of the vector units).
class Peaks {
 public:
  Peaks() = default;
  /// Reads `file` (--peak): tables [gpu.flops] and [cpu_core.flops] with a number of flop/s for
  /// each precision; [link] with the B/s in one direction of `network` (all of a node's), `nvlink`
  /// (all of a GPU's) and `pcie` (a GPU's); and [memory] with the B/s of `host` (all of a node),
  /// `numa_node` and `gpu`. Throws UsageError, with the line.
  static Peaks from_file(const std::string& file);
  static Peaks parse(std::string_view toml, const std::string& origin);

  /// flop/s of one GPU that calls itself `model`; a reason if nobody knows, never a guess.
  Peak gpu_flops(const std::string& model, const std::string& precision) const;
  /// flop/s of `cores` CPU cores, of which one is known to have `core`.
  Peak cpu_flops(int cores, const std::string& precision, const Peak& core) const;
  /// Of the link `name` (network, nvlink, pcie), if the file has it.
  std::optional<Peak> link(const std::string& name) const;
  /// Of the memory `name` (host, numa_node, gpu), if the file has it.
  std::optional<Peak> memory(const std::string& name) const;

 private:
  using Rates = std::map<std::string, double, std::less<>>;
  static std::optional<Peak> given(const Rates& rates, const std::string& name);

  Rates gpu_, cpu_core_, link_, memory_;
};

}  // namespace scalemark
