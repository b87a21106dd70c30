// SPDX-License-Identifier: Apache-2.0
// Writes and reads the layout of a result file: the run's header and its cases.
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
constexpr const char* kFormatVersion = "1.1";  ///< 1.1: digests

/// Writes everything but the cases into the root group of an open file.
void write_header(hid_t root, const Run& run);
/// Throws InputError for another file format or a newer major version.
Run read_header(hid_t root);

/// Writes one case with its tables, as a new group /cases/<nnnnnn>.
void write_case(hid_t root, const CaseResult& result);
/// Indices of the cases in an open file, ascending. Throws InputError if /cases has other groups.
std::vector<std::size_t> case_indices(hid_t root);
/// Reads one case of an open file. Throws InputError that names it.
CaseResult read_case(hid_t root, std::size_t index, bool samples);
/// Copies a case with its tables, without unpacking it, from a file of open_result(). Throws
/// InputError if the case cannot be read.
void copy_case(hid_t from, hid_t to, std::size_t index);
/// Opens a group, or creates it.
h5::Id need_group(hid_t parent, const std::string& name);
/// Names of the dimensions of samples, and of the datasets without values that are their scales.
constexpr std::array<const char*, 2> kDimensions = {"rank", "iteration"};
/// Names the dimensions of a metric's samples and masks, which have no names yet.
void write_dimensions(hid_t metric);

/// Calls `take` for each case of an open file; one case is in memory at a time. Without `samples`,
/// metrics have no values, and there are no tables. Throws InputError that names the case.
void for_each_case(hid_t root, bool samples, const std::function<void(CaseResult)>& take);

/// Writes the tables of a case, each as a new group /<name>/<nnnnnn> with one dataset per column.
/// Throws Error for an unknown table name, and for columns of different length.
void write_tables(hid_t root, const CaseResult& result);
/// Reads the tables of a case. Throws InputError that names the table.
std::map<std::string, Table> read_tables(hid_t root, const std::string& case_name);
/// Table names without and with a second part: profile, telemetry/<what>.
constexpr std::array<const char*, 6> kSingleTables = {"profile", "phases", "pairs",
                                                      "devices", "places", "timeline"};
constexpr std::array<const char*, 2> kTableFamilies = {"telemetry", "baseline"};
/// Whether a result file can store a table of that name: profile, phases, pairs, devices, places,
/// timeline, telemetry/<what>, baseline/<what>.
bool is_table_name(const std::string& name);

/// Any text as the name of an HDF5 link: '/' and '.', which have a meaning there, become %2F and
/// %2E.
std::string link_name(const std::string& name);
std::string name_of_link(std::string link);

/// "000123" for index 123
std::string case_name(std::size_t index);

}  // namespace scalemark::store
