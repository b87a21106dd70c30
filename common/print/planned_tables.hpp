// SPDX-License-Identifier: Apache-2.0
// Which cases of a run make one printed table, and when the last of them has come.
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

/// Cases of tables that are planned in turns: a plan goes through all values of one axis before the
/// next of another.
class PlannedTables {
 public:
  /// `axes` are those that tell apart the places in one table.
  explicit PlannedTables(std::vector<std::string_view> axes) : axes_(std::move(axes)) {}

  void begin(const Run& run);
  /// What the keys of the case's table have in common.
  std::string table_of(const CaseResult& result) const { return key_without(result.key, axes_); }
  /// Counts a case of that table. Whether it was the last one that is planned; true for a table
  /// that nobody planned.
  bool came(const std::string& table);

 private:
  std::vector<std::string_view> axes_;
  std::map<std::string, std::size_t> awaited_;
};

/// Text of tables whose rows come in turns: one is printed as it comes, the others wait for its
/// end.
class TableQueue {
 public:
  explicit TableQueue(std::ostream& out) : out_(out) {}

  void add(const std::string& table, std::string_view text);
  /// No more text of that table comes.
  void finish(const std::string& table);
  /// No more text comes at all.
  void finish();

 private:
  struct Waiting {
    std::string table, text;
    bool finished = false;
  };

  std::ostream& out_;
  std::string open_;  ///< the table that is printed as it comes; empty = none
  std::vector<Waiting> waiting_;
};

}  // namespace scalemark::print
