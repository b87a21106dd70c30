// SPDX-License-Identifier: Apache-2.0
// What Scalemark writes into Google Benchmark's JSON besides its own members.
#pragma once

namespace scalemark::formats {

/// The key of a case that is no kernel of scalemark-kernels, and the metric that `real_time` is.
/// `cpu_time` of such a case is `real_time` again, since tools want one.
inline constexpr const char* kKeyMember = "scalemark_key";
inline constexpr const char* kMetricMember = "scalemark_metric";

}  // namespace scalemark::formats
