// SPDX-License-Identifier: Apache-2.0
// The table over several runs, as text, CSV and JSON.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/print/joined.hpp"
#include "common/print/printer.hpp"
#include "common/print/runs_table.hpp"

namespace scalemark::print {

/// Formats that have words for several runs: table, csv, json, jsonl.
std::vector<std::string> runs_formats();

/// Sentences on what should be known before the numbers: in what the runs differ, which of them are
/// not complete.
std::vector<std::string> runs_remarks(const RunsTable& table);

/// `table` has the remarks in it; the others leave them to the caller. Lines of `table` are not
/// wrapped. `joined`: what the cases of the runs say together, below the rows and in the objects of
/// json and jsonl.
void print_runs(const RunsTable& table, const Joined& joined, std::string_view format,
                const PrintOptions& options, std::ostream& out);

}  // namespace scalemark::print
