// SPDX-License-Identifier: Apache-2.0
// Groups cases into printed tables and detects when a table is complete.
#pragma once

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/key.hpp"
#include "common/result/model.hpp"

namespace scalemark::print {

/// Counts the cases per table. Tables may overlap: a plan runs through all values of one axis
/// before it changes another, so cases of several tables can alternate.
class PlannedTables {
 public:
  /// `axes`: the axes that vary within one table.
  explicit PlannedTables(std::vector<std::string_view> axes) : axes_(std::move(axes)) {}

  /// Counts the planned cases of each table.
  void begin(const Run& run);
  /// The name of the case's table: its key without the axes that vary within a table.
  std::string table_of(const CaseResult& result) const { return key_without(result.key, axes_); }
  /// Notes that a case of this table is done. Returns whether the table is complete; always true
  /// for a table that was not planned.
  bool case_done(const std::string& table);

 private:
  std::vector<std::string_view> axes_;
  std::map<std::string, std::size_t> awaited_;
};

/// Prints overlapping tables one after the other. Text of one table is printed immediately; text of
/// the others waits until that table is finished.
class TableQueue {
 public:
  explicit TableQueue(std::ostream& out) : out_(out) {}

  /// Prints or stores text of a table.
  void add(const std::string& table, std::string_view text);
  /// Marks a table as finished. If it was the one printed immediately, prints stored tables up to
  /// the first unfinished one, which is printed immediately from then on.
  void finish(const std::string& table);
  /// Prints all stored text.
  void finish();

 private:
  struct Waiting {
    std::string table, text;
    bool finished = false;
  };

  std::ostream& out_;
  std::string open_;  ///< the table printed immediately; empty = none
  std::vector<Waiting> waiting_;
};

}  // namespace scalemark::print
