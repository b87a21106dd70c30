// SPDX-License-Identifier: Apache-2.0
// LogGOPS: what a message costs its sender, the network and its receiver (Hoefler, Schneider,
// Lumsdaine, "LogGOPSim", HPDC 2010).
#pragma once

#include <cstdint>
#include <string>

namespace scalemark::predict {

/// All in ns, but for S.
struct LogGops {
  std::uint64_t latency = 0;       ///< L: from the sender's network interface to the receiver's
  std::uint64_t overhead = 0;      ///< o: of the CPU, for each message sent or received
  std::uint64_t gap = 0;           ///< g: between two messages of one interface
  std::uint64_t gap_per_byte = 0;  ///< G: of the interface
  std::uint64_t overhead_per_byte = 0;    ///< O: of the CPU
  std::uint64_t rendezvous = UINT64_MAX;  ///< S: larger messages wait for their receiver, bytes
};

/// "L=2500,o=1500,g=1000,G=6,O=0,S=65535" in any order; what is left out is 0, S without limit.
/// Throws UsageError for other names, numbers that are not whole or larger than 10^12, and a name
/// that occurs twice.
LogGops parse_loggops(const std::string& text);

}  // namespace scalemark::predict
