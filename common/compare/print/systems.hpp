// SPDX-License-Identifier: Apache-2.0
// Prints a comparison of several systems as text, Markdown, JSON and CSV.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/compare/systems.hpp"

namespace scalemark::compare {

/// Names of the formats: text, md, json, csv.
std::vector<std::string> system_formats();

/// Prints the table of systems. `width`: terminal columns for text; 0 = no limit. Throws UsageError
/// for an unknown format.
void print_systems(const SystemTable& table, std::string_view format, std::ostream& out,
                   std::size_t width = 0);

/// The JSON document `scalemark-systems`, version 1.
nlohmann::ordered_json to_json(const SystemTable& table);

}  // namespace scalemark::compare
