// SPDX-License-Identifier: Apache-2.0
// Applying and printing sampling policies.
#include "common/core/policy.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark {
namespace {

void require(bool good, const char* option, const std::string& given, const char* allowed) {
  if (!good) throw UsageError(fmt::format("{} is {}; allowed: {}", option, given, allowed));
}

}  // namespace

SamplingPolicy PolicyChange::apply(SamplingPolicy base) const {
  if (iterations) {
    require(*iterations >= 1, "--iterations", std::to_string(*iterations), "1 or more");
    base.iterations = iterations;
  }
  if (warmup) {
    require(*warmup >= 0, "--warmup", std::to_string(*warmup), "0 or more");
    base.warmup = warmup;
  }
  if (min_samples) {
    require(*min_samples >= 1, "min_samples", std::to_string(*min_samples), "1 or more");
    base.min_samples = *min_samples;
  }
  if (max_samples) {
    require(*max_samples >= 1, "max_samples", std::to_string(*max_samples), "1 or more");
    base.max_samples = *max_samples;
  }
  if (ci_percent) {
    require(*ci_percent > 0 && *ci_percent < 100, "--ci", fmt::format("{}", *ci_percent),
            "above 0, below 100 percent");
    base.ci_percent = *ci_percent;
  }
  if (min_time) {
    require(*min_time >= 0, "--min-time", fmt::format("{}", *min_time), "0 or more seconds");
    base.min_time = *min_time;
  }
  if (max_time) {
    require(*max_time > 0, "--max-time", fmt::format("{}", *max_time), "more than 0 seconds");
    base.max_time = *max_time;
  }
  if (max_volume) {
    require(*max_volume > 0, "--max-volume", fmt::format("{}", *max_volume), "more than 0 bytes");
    base.max_volume = *max_volume;
  }
  if (verify) base.verify = *verify;
  return base;
}

std::string to_text(const SamplingPolicy& policy) {
  return fmt::format(
      "iterations={} warmup={} ci={} samples={}..{} time={}..{} volume={} "
      "verify={}",
      policy.iterations ? std::to_string(*policy.iterations) : "auto",
      policy.warmup ? std::to_string(*policy.warmup) : "auto", policy.ci_percent,
      policy.min_samples, policy.max_samples, policy.min_time, policy.max_time, policy.max_volume,
      policy.verify);
}

}  // namespace scalemark
