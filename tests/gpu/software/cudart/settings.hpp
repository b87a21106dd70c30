// SPDX-License-Identifier: Apache-2.0
// What the environment asks of the pretend devices. tests/gpu/software/run.sh --help lists all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/software/cudart/identity.hpp"

namespace scalemark::software_gpu {

struct Settings {
  int devices = 1;                            ///< SOFTWARE_GPU_DEVICES: 0 to kMaxDevices
  std::vector<PciAddress> addresses;          ///< SOFTWARE_GPU_ADDRESSES; empty: see pci_address()
  int instances = 0;                          ///< SOFTWARE_GPU_MIG: instances per device
  std::size_t memory = std::size_t{4} << 30;  ///< SOFTWARE_GPU_MEMORY: bytes per device
  std::uint64_t queue = 1024;                 ///< SOFTWARE_GPU_QUEUE: entries per stream
  std::uint64_t fail_allocation = 0;          ///< SOFTWARE_GPU_FAIL_ALLOCATION: 0 for none
  std::uint64_t fail_call = 0;                ///< SOFTWARE_GPU_FAIL_CALL: 0 for none
  int fail_code = 700;                        ///< the error of that call, which stays
  bool no_kernel_image = false;               ///< SOFTWARE_GPU_NO_KERNEL_IMAGE
  bool old_driver = false;                    ///< SOFTWARE_GPU_OLD_DRIVER
  std::optional<std::uint64_t> delay_seed;    ///< SOFTWARE_GPU_DELAYS=SEED[:MICROSECONDS]
  std::uint64_t longest_delay_ns = 200'000;   ///< of one piece of work
  int compute_capability = 9;                 ///< SOFTWARE_GPU_COMPUTE_CAPABILITY: the major one
  std::optional<std::string> visible;         ///< CUDA_VISIBLE_DEVICES
  bool no_peers = false;                      ///< SOFTWARE_GPU_NO_PEERS
  std::optional<std::pair<int, int>> slow_link;  ///< SOFTWARE_GPU_SLOW_LINK=A-B[:MICROSECONDS]
  std::uint64_t slow_link_ns = 1'000'000;        ///< longer than a copy takes otherwise
};

/// Read once. A value that is not understood ends the process with a message.
const Settings& settings();

}  // namespace scalemark::software_gpu
