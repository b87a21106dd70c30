// SPDX-License-Identifier: Apache-2.0
// The GPUs of one process, their pairs, and access between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/no_throw.hpp"
#include "common/core/case.hpp"
#include "common/device/device.hpp"
#include "common/device/peer_access.hpp"

namespace scalemark::micro {

/// The GPUs that this process sees. That of the rank is the current one again when this ends.
class LocalGpus {
 public:
  /// Skips the case if there are fewer than two.
  explicit LocalGpus(Case& c);

  std::size_t size() const { return devices_.size(); }
  device::Device& operator[](std::size_t index) const { return *devices_[index]; }

 private:
  /// The rank's GPU, the current one again at its end. A GPU that broke down refuses that.
  class Own {
   public:
    explicit Own(device::Device& gpu) : gpu_(gpu) {}
    ~Own() {
      ignore_errors("go back to the rank's GPU", [this] { gpu_.make_current(); });
    }
    Own(const Own&) = delete;
    Own& operator=(const Own&) = delete;

   private:
    device::Device& gpu_;
  };
  Own own_;
  std::vector<std::unique_ptr<device::Device>> devices_;
};

/// From where, to where: positions in LocalGpus.
using GpuPair = std::pair<std::size_t, std::size_t>;

/// Each ordered pair of different GPUs, by `first`, then by `second`.
std::vector<GpuPair> all_gpu_pairs(std::size_t gpus);

/// Access in both directions between the GPUs of all pairs. Skips the case where one lacks it.
std::vector<std::unique_ptr<device::PeerAccess>> enable_access(const Case& c, const LocalGpus& gpus,
                                                               const std::vector<GpuPair>& pairs);

/// Columns from_gpu, to_gpu, from_pci and to_pci of a table `pairs`.
Table pair_table(const LocalGpus& gpus, const std::vector<GpuPair>& pairs);

/// Times of all pairs, each taken in turn, so that no two share a link.
class PairSamples {
 public:
  explicit PairSamples(std::size_t pairs) : taken_(pairs) {}
  /// `time(pair)`: nanoseconds of a pair. Returns the slowest pair's.
  std::uint64_t pass(const std::function<std::uint64_t(std::size_t pair)>& time);
  /// Median seconds of an operation of each pair, over the last `passes`, each of `operations`.
  std::vector<double> medians(std::size_t passes, std::uint64_t operations) const;

 private:
  std::vector<std::vector<std::uint64_t>> taken_;  ///< [pair][pass], ns
};

}  // namespace scalemark::micro
