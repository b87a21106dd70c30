// SPDX-License-Identifier: Apache-2.0
// What the network adapters of hosts counted while a run lasted: signs of a bad cable or port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A counter of errors that rose.
struct AdapterErrors {
  std::string host, adapter;
  std::string counter;      ///< as the kernel calls it: symbol_error, rx_errors
  std::uint64_t count = 0;  ///< at the run's end, less that at its start
};

/// Facts nic_errors.ADAPTER at the start and the end of a run, of all its hosts. Counters that rise
/// on healthy links (packets discarded or held up by congestion) do not count. None where a run has
/// no end.
std::vector<AdapterErrors> adapter_errors(const Run& run);

}  // namespace scalemark::analysis
