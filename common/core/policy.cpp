// SPDX-License-Identifier: Apache-2.0
// Applying and printing sampling policies.
#include "common/core/policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/core/policy_rules.hpp"

namespace scalemark {
namespace {

using Kind = NumberRule::Kind;

constexpr double kMaxSamples = 1e9;
constexpr double kMaxBytes = 0x1p62;

constexpr std::array kRules = {
    PolicyRule{"iterations",
               "--iterations",
               {Kind::integer, 1, kMaxSamples, false},
               &PolicyChange::iterations},
    PolicyRule{"operations",
               "operations",
               {Kind::integer, 1, kMaxSamples, false},
               &PolicyChange::operations},
    PolicyRule{"warmup", "--warmup", {Kind::integer, 0, kMaxSamples, false}, &PolicyChange::warmup},
    PolicyRule{"min_samples",
               "min_samples",
               {Kind::integer, 1, kMaxSamples, false},
               &PolicyChange::min_samples},
    PolicyRule{"max_samples",
               "max_samples",
               {Kind::integer, 1, kMaxSamples, false},
               &PolicyChange::max_samples},
    PolicyRule{"ci", "--ci", {Kind::percent, 0, 100, true}, &PolicyChange::ci_percent},
    PolicyRule{"min_time",
               "--min-time",
               {Kind::seconds, 0, NumberRule::kLongestTime, false},
               &PolicyChange::min_time},
    PolicyRule{"max_time",
               "--max-time",
               {Kind::seconds, 0, NumberRule::kLongestTime, true},
               &PolicyChange::max_time},
    PolicyRule{"max_volume",
               "--max-volume",
               {Kind::bytes, 1, kMaxBytes, false},
               &PolicyChange::max_volume},
};

template <class T>
void replace(T& field, const std::optional<T>& value) {
  if (value) field = *value;
}

void check_ranges(const PolicyChange& change) {
  for (const PolicyRule& one : kRules) {
    std::visit(
        [&](auto field) {
          const auto& value = change.*field;
          if (!value || one.rule.has(static_cast<double>(*value))) return;
          throw UsageError(
              fmt::format("{} {}", one.option, one.rule.refusal(fmt::format("{}", *value))));
        },
        one.field);
  }
}

}  // namespace

std::span<const PolicyRule> policy_rules() { return kRules; }

const PolicyRule* find_policy_rule(std::string_view key) {
  const auto* const found = std::ranges::find(kRules, key, &PolicyRule::key);
  return found == kRules.end() ? nullptr : found;
}

const NumberRule& policy_rule(std::string_view key) {
  if (const PolicyRule* found = find_policy_rule(key)) return found->rule;
  throw std::logic_error(fmt::format("policies have no number {}", key));
}

SamplingPolicy PolicyChange::apply(SamplingPolicy base) const {
  check_ranges(*this);
  if (iterations && operations) throw UsageError("iterations and operations exclude each other");
  if (iterations || operations) {
    base.iterations = iterations;
    base.operations = operations;
    // A count is the whole rule, unless a limit is set with it or after it.
    base.max_time = std::numeric_limits<double>::infinity();
  }
  if (warmup) base.warmup = warmup;
  replace(base.min_samples, min_samples);
  replace(base.max_samples, max_samples);
  replace(base.ci_percent, ci_percent);
  replace(base.min_time, min_time);
  replace(base.max_time, max_time);
  replace(base.max_volume, max_volume);
  if (verify) base.verify = *verify;
  return base;
}

void check_times(const SamplingPolicy& policy) {
  if (policy.iterations || policy.operations || policy.min_time <= policy.max_time) return;
  throw UsageError(fmt::format(
      "--min-time is {} s, above --max-time, {} s; allowed: --min-time up to --max-time",
      policy.min_time, policy.max_time));
}

std::string to_text(const SamplingPolicy& policy) {
  // What a count alone makes void stays as it always was in this text: it is hashed.
  const bool limited = std::isfinite(policy.max_time);
  return fmt::format(
      "iterations={} warmup={} ci={} samples={}..{} time={}..{} volume={} "
      "verify={}{}{}",
      policy.iterations ? std::to_string(*policy.iterations) : "auto",
      policy.warmup ? std::to_string(*policy.warmup) : "auto", policy.ci_percent,
      policy.min_samples, policy.max_samples, policy.min_time,
      limited ? policy.max_time : SamplingPolicy{}.max_time, policy.max_volume, policy.verify,
      policy.iterations && limited ? " iterations_within_time=true" : "",
      policy.operations ? fmt::format(" operations={}{}", *policy.operations,
                                      limited ? " operations_within_time=true" : "")
                        : "");
}

}  // namespace scalemark
