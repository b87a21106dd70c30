// SPDX-License-Identifier: Apache-2.0
// What the numbers of a sampling policy may be, by their keys in presets and their options.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "common/base/number.hpp"
#include "common/core/policy.hpp"

namespace scalemark {

struct PolicyRule {
  std::string_view key;     ///< in presets
  std::string_view option;  ///< on the command line; the key where it has none
  NumberRule rule;
  std::variant<std::optional<int> PolicyChange::*, std::optional<double> PolicyChange::*> field;
};

/// All numbers of a policy.
std::span<const PolicyRule> policy_rules();
/// Null for a key that is none of them.
const PolicyRule* find_policy_rule(std::string_view key);
/// Of a key that there is.
const NumberRule& policy_rule(std::string_view key);

/// Throws UsageError where the shortest time of a policy is above the longest.
void check_times(const SamplingPolicy& policy);

}  // namespace scalemark
