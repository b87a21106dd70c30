// SPDX-License-Identifier: Apache-2.0
// Counts the cases of each table, and buffers tables that overlap in time.
#include "common/print/planned_tables.hpp"

#include <algorithm>

#include "common/base/text.hpp"

namespace scalemark::print {

void PlannedTables::begin(const Run& run) {
  awaited_.clear();
  for (const std::string& key : run.planned) ++awaited_[key_without(key, axes_)];
}

bool PlannedTables::case_done(const std::string& table) {
  const auto awaited = awaited_.find(table);
  if (awaited == awaited_.end()) return true;
  if (--awaited->second > 0) return false;
  awaited_.erase(awaited);
  return true;
}

void TableQueue::add(const std::string& table, std::string_view text) {
  if (open_.empty()) open_ = table;
  if (table == open_) {
    out_ << text;
    return;
  }
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Waiting& one) { return one.table == table; });
  Waiting& one =
      found == waiting_.end() ? waiting_.emplace_back(Waiting{table, "", false}) : *found;
  one.text += text;
}

void TableQueue::finish(const std::string& table) {
  for (Waiting& one : waiting_) one.finished = one.finished || one.table == table;
  if (table != open_) return;
  open_.clear();
  while (!waiting_.empty() && open_.empty()) {
    const Waiting next = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    out_ << next.text;
    if (!next.finished) open_ = next.table;
  }
}

void TableQueue::finish() {
  for (const Waiting& one : waiting_) out_ << one.text;
  waiting_.clear();
  open_.clear();
}

}  // namespace scalemark::print
