// SPDX-License-Identifier: Apache-2.0
// Prints the table over several runs as text, CSV and JSON.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/print/joined.hpp"
#include "common/print/printer.hpp"
#include "common/print/runs_table.hpp"

namespace scalemark::print {

/// Formats that can show several runs: table, csv, json, jsonl.
std::vector<std::string> runs_formats();

/// Warnings for the reader: in what the runs differ, and which runs are not complete.
std::vector<std::string> runs_remarks(const RunsTable& table);

/// Prints the table in `format`. Throws UsageError for a format that shows one run only. `table`
/// includes the remarks; for other formats the caller prints them. Lines of `table` are not
/// wrapped. `joined`: analyses over the cases, printed below the rows or as fields of the JSON
/// objects.
void print_runs(const RunsTable& table, const Joined& joined, std::string_view format,
                const PrintOptions& options, std::ostream& out);

}  // namespace scalemark::print
