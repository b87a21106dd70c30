// SPDX-License-Identifier: Apache-2.0
// In which environments runs were made, and how those of two sides differ.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::report {

/// identity: another machine or another job shape; suspect: may explain a difference; noise:
/// differs from run to run and is not compared.
enum class FactClass { identity, suspect, noise };
std::string_view to_string(FactClass fact_class);
FactClass class_of(std::string_view fact);

struct EnvironmentDifference {
  std::string fact;
  std::string a, b;  ///< the values of a side's runs, joined by " | "; "-" where there is none
  FactClass fact_class = FactClass::suspect;
};

/// Facts by name, values of several nodes joined without their names. Adds ranks, nodes, the ranks'
/// cores, and version and revision of the program.
std::map<std::string, std::string> environment_facts(const Run& run);

/// Facts whose sets of values differ between the sides, identity first. Noise is left out.
std::vector<EnvironmentDifference> environment_differences(
    std::span<const std::map<std::string, std::string>* const> a,
    std::span<const std::map<std::string, std::string>* const> b);

}  // namespace scalemark::report
