// SPDX-License-Identifier: Apache-2.0
// Members that Scalemark adds to Google Benchmark's JSON.
#pragma once

namespace scalemark::formats {

/// Added to cases not from scalemark-kernels: the case key, and the metric that `real_time` holds.
/// Such a case repeats `real_time` as `cpu_time`, since tools expect one.
inline constexpr const char* kKeyMember = "scalemark_key";
inline constexpr const char* kMetricMember = "scalemark_metric";

}  // namespace scalemark::formats
