// SPDX-License-Identifier: Apache-2.0
// The table of systems as text, Markdown, JSON and CSV.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/compare/systems.hpp"

namespace scalemark::compare {

/// text, md, json, csv.
std::vector<std::string> system_formats();

/// `width`: columns of the terminal for text; 0 = not limited. Throws UsageError for a format that
/// does not exist.
void print_systems(const SystemTable& table, std::string_view format, std::ostream& out,
                   std::size_t width = 0);

/// The document `scalemark-systems`, version 1.
nlohmann::ordered_json to_json(const SystemTable& table);

}  // namespace scalemark::compare
