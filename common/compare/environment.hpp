// SPDX-License-Identifier: Apache-2.0
// In which environments runs were made, and how those of two sides differ.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::compare {

/// identity: another machine or another job shape; suspect: may explain a difference; noise:
/// differs from run to run and is not compared.
enum class FactClass { identity, suspect, noise };
std::string_view to_string(FactClass fact_class);
FactClass class_of(std::string_view fact);

/// Whether a value tells anything: neither "-" nor "unavailable: why".
bool is_known(std::string_view value);

/// Job and process ids, uuids, times of a launch: what never repeats tells runs apart and explains
/// nothing. Judged by the fact's name, or by what its known values look like.
bool is_identifier(std::string_view fact, const std::set<std::string>& values);

using Facts = std::map<std::string, std::string>;

struct EnvironmentDifference {
  std::string fact;
  std::string a, b;  ///< the values of a side's runs, joined by " | "; "-" where there is none
  FactClass fact_class = FactClass::suspect;
};

/// Facts by name, values of several nodes joined without their names. Adds ranks, nodes, the ranks'
/// cores, what measured, and version and revision of the program where that was Scalemark.
Facts environment_facts(const Run& run);

/// The known values of a side's runs. "-" stands for what a run looked for and did not have: a
/// variable, a library, a GPU.
std::set<std::string> known_values(std::span<const Facts* const> side, const std::string& fact);

/// Facts that both sides know and whose sets of values differ, identity first. Noise and
/// identifiers are left out.
std::vector<EnvironmentDifference> environment_differences(std::span<const Facts* const> a,
                                                           std::span<const Facts* const> b);

/// Facts that one side alone knows, which is no difference; the other's value is "-".
std::vector<EnvironmentDifference> facts_of_one_side(std::span<const Facts* const> a,
                                                     std::span<const Facts* const> b);

}  // namespace scalemark::compare
