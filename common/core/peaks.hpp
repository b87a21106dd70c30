// SPDX-License-Identifier: Apache-2.0
// The highest rates that hardware can reach, to say what part of them was reached.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace scalemark {

struct Peak {
  double value = 0;    ///< flop/s; of a link B/s
  std::string source;  ///< "data sheet of NVIDIA H200", "--peak"
};

/// Floating-point peaks by precision: fp64, fp32, tf32, bf16, fp16; dense, tensor cores included
/// where they compute in that precision (so fp64's is not the one of the vector units). Those of
/// links only as far as a file has them.
class Peaks {
 public:
  /// Of the known GPUs only: for a CPU it takes the file, because its clock under load is nobody's
  /// promise.
  Peaks() = default;
  /// Reads `file` (--peak): tables [gpu.flops] and [cpu_core.flops] with a number of flop/s for
  /// each precision, and [link] with the B/s in one direction of `network` (all of a node's),
  /// `nvlink` (all of a GPU's) and `pcie` (a GPU's). They come before what is known. Throws
  /// UsageError, with the line.
  static Peaks from_file(const std::string& file);
  static Peaks parse(std::string_view toml, const std::string& origin);

  /// Of one GPU that calls itself `model`; nothing if nobody knows, never a guess.
  std::optional<Peak> gpu_flops(const std::string& model, const std::string& precision) const;
  /// Of `cores` CPU cores.
  std::optional<Peak> cpu_flops(int cores, const std::string& precision) const;
  /// Of the link `name` (network, nvlink, pcie), if the file has it.
  std::optional<Peak> link(const std::string& name) const;

 private:
  using Rates = std::map<std::string, double, std::less<>>;
  Rates gpu_, cpu_core_, link_;
};

}  // namespace scalemark
