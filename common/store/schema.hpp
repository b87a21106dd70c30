// SPDX-License-Identifier: Apache-2.0
// The layout of a result file in HDF5: writing and reading its two kinds of groups.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/result/model.hpp"
#include "common/store/h5/h5.hpp"

namespace scalemark::store {

constexpr const char* kFormat = "scalemark-result";
constexpr int kMajor = 1;

/// Everything of a run but its cases, into the root of an open file.
void write_header(hid_t root, const Run& run);
/// Throws InputError for another format or a newer major version.
Run read_header(hid_t root);

/// One case, as a new group /cases/<nnnnnn>, and its tables.
void write_case(hid_t root, const CaseResult& result);
/// The indices of the cases in an open file, ascending. Throws InputError for a group that is no
/// case's.
std::vector<std::size_t> case_indices(hid_t root);
/// One case of an open file. Throws InputError that names it.
CaseResult read_case(hid_t root, std::size_t index, bool samples);
/// A case with its tables from a file of open_result(), as it stands there. Throws InputError if no
/// reader would take it.
void copy_case(hid_t from, hid_t to, std::size_t index);
/// Opens a group, or makes it.
h5::Id need_group(hid_t parent, const std::string& name);
/// Gives the samples of a metric, and their masks, the dimensions rank and iteration.
void write_dimensions(hid_t metric);

/// Calls `take` for each case of an open file, one after the other: a large file needs the memory
/// of one case. Without `samples` the numbers of a metric stay empty, and there are no tables.
/// Throws InputError that names the case.
void for_each_case(hid_t root, bool samples, const std::function<void(CaseResult)>& take);

/// The tables of a case, each as a new group /<name>/<nnnnnn>, one dataset a column. Throws Error
/// for a table that has no place in the file, and for columns of different length.
void write_tables(hid_t root, const CaseResult& result);
/// Throws InputError that names the table.
std::map<std::string, Table> read_tables(hid_t root, const std::string& case_name);
/// Tables of which a case has one, and groups of tables with a name of their own.
constexpr std::array<const char*, 5> kSingleTables = {"profile", "phases", "pairs", "devices",
                                                      "places"};
constexpr std::array<const char*, 2> kTableFamilies = {"telemetry", "baseline"};
/// Whether a result file has a place for a table of that name: profile, phases, pairs, devices,
/// places, telemetry/<what>, baseline/<what>.
bool is_table_name(const std::string& name);

/// A name that may hold any character as the name of a link, where '/' and '.' have meanings of
/// their own: %2F, %2E.
std::string link_name(const std::string& name);
std::string name_of_link(std::string link);

/// "000123"
std::string case_name(std::size_t index);

}  // namespace scalemark::store
