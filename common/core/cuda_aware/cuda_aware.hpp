// SPDX-License-Identifier: Apache-2.0
// Whether MPI gets device memory as it is, or copies of it: a decision made before planning.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "common/collective/types.hpp"
#include "common/mpi/cuda_support.hpp"

namespace scalemark {

/// --cuda-aware: by proof; as if it were proven; never.
enum class CudaAware { automatic, yes, no };
CudaAware cuda_aware_from(std::string_view text);  ///< "auto", "yes", "no"; throws UsageError

/// What an earlier launch found out about one use of device memory.
struct Finding {
  enum class State { not_asked, proven, disproven };
  State state = State::not_asked;
  std::string date;    ///< UTC, of the launch; empty where there was none
  std::string reason;  ///< why it is not proven
  bool operator==(const Finding&) const = default;
};

/// By use, in the order of collective::kDeviceUses.
template <typename T>
using ByUse = std::array<T, collective::kDeviceUses.size()>;
using Findings = ByUse<Finding>;

/// The findings of two nodes together: what one of them lacks is not proven. The earlier date.
Findings combine(const Findings& a, const Findings& b);

/// How operations reach device memory.
struct DevicePath {
  bool direct = false;
  std::string why;  ///< "proven 2026-01-31", "staged: no proof (run --probe)"; fact cuda_aware
};

/// A pure function: of the option, of what the library says of itself (the least sure answer of all
/// ranks), and of what is known of the use.
DevicePath decide(CudaAware option, mpi::CudaSupport library, const Finding& finding);

}  // namespace scalemark
