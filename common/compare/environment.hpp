// SPDX-License-Identifier: Apache-2.0
// The environment of runs (hardware, software, job) and how it differs between two sides.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::compare {

/// identity: different machine or job size; suspect: may explain a difference; noise: changes from
/// run to run, not compared.
enum class FactClass { identity, suspect, noise };
/// "identity", "suspect" or "noise".
std::string_view to_string(FactClass fact_class);
/// The class of a fact, from its name.
FactClass class_of(std::string_view fact);

/// Whether a value is known: neither "-" nor "unavailable: ...".
bool is_known(std::string_view value);

/// Whether a fact identifies a run and thus cannot explain a difference: job and process ids,
/// UUIDs, start times. Decided by the fact's name or the form of its values.
bool is_identifier(std::string_view fact, const std::set<std::string>& values);

/// Values by name of the fact.
using Facts = std::map<std::string, std::string>;

/// A fact that differs between the sides.
struct EnvironmentDifference {
  std::string fact;
  std::string a, b;  ///< values of a side's runs, separated by " | "; "-" = none
  FactClass fact_class = FactClass::suspect;
};

/// The facts of a run. If nodes differ, their values are listed without host names. Adds number of
/// ranks and nodes, the ranks' cores, and which program measured. For Scalemark also its version
/// and revision.
Facts environment_facts(const Run& run);

/// The known values of a fact on a side. "-" = a run looked for a variable, library or GPU and did
/// not find it.
std::set<std::string> known_values(std::span<const Facts* const> side, const std::string& fact);

/// Facts known on both sides with different sets of values, identity first. Noise and identifiers
/// are left out.
std::vector<EnvironmentDifference> environment_differences(std::span<const Facts* const> a,
                                                           std::span<const Facts* const> b);

/// Facts known on one side only, which need not mean a difference. The value of the other side is
/// "-".
std::vector<EnvironmentDifference> facts_of_one_side(std::span<const Facts* const> a,
                                                     std::span<const Facts* const> b);

}  // namespace scalemark::compare
