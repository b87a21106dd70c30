// SPDX-License-Identifier: Apache-2.0
// Joins cases to rows, groups and names them.
#include "common/html/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::html {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_ok(const CaseExtract* one) { return one->status == Status::ok; }

}  // namespace

bool Row::ok() const { return std::ranges::any_of(cases, is_ok); }

const CaseExtract& Row::sample() const { return **std::ranges::find_if(cases, is_ok); }

RowValue Row::value(std::string_view metric) const {
  RowValue result{kNan, kNan, kNan, 0, 0};
  double sum = 0;
  for (const CaseExtract* one : cases) {
    const Quantity* quantity = is_ok(one) ? one->find(metric) : nullptr;
    if (quantity == nullptr || std::isnan(quantity->summary.median)) continue;
    const Summary& summary = quantity->summary;
    result.n += summary.n;
    sum += std::log(summary.median);
    if (++result.runs == 1) {
      result.value = summary.median;
      result.low = summary.low;
      result.high = summary.high;
      continue;
    }
    if (result.runs == 2) result.low = result.high = result.value;
    result.low = std::min(result.low, summary.median);
    result.high = std::max(result.high, summary.median);
    // The geometric mean needs positive values; else the middle of the range is used.
    const double mean = std::exp(sum / static_cast<double>(result.runs));
    result.value = std::isfinite(mean) ? mean : (result.low + result.high) / 2;
  }
  return result;
}

std::vector<Row> join_rows(std::span<const RunExtract> runs) {
  std::vector<Row> rows;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t number = 0; number < runs.size(); ++number) {
    for (const CaseExtract& one : runs[number].cases) {
      const auto [place, fresh] = places.emplace(one.key, rows.size());
      if (fresh) rows.push_back({one.key, one.name, {}, {}});
      Row& row = rows[place->second];
      // Count a key that a run has twice only once.
      if (!row.run_numbers.empty() && row.run_numbers.back() == number) continue;
      row.cases.push_back(&one);
      row.run_numbers.push_back(number);
    }
  }
  return rows;
}

bool ByNumbers::operator()(std::string_view left, std::string_view right) const {
  const auto digits = [](std::string_view text, std::size_t at) {
    const std::size_t end = text.find_first_not_of("0123456789", at);
    return std::min(end, text.size()) - at;
  };
  for (std::size_t i = 0, j = 0; i < left.size() && j < right.size(); ++i, ++j) {
    const std::size_t a = digits(left, i), b = digits(right, j);
    if (a > 0 && b > 0 && a != b) return a < b;
    if (left[i] != right[j]) return left[i] < right[j];
  }
  return left.size() < right.size();
}

std::string axis_of(const Row& row, const std::string& axis) {
  const auto& params = row.cases.front()->params;
  const auto found = params.find(axis);
  return found == params.end() ? std::string() : found->second;
}

std::string Group::constants_text() const {
  std::vector<std::string> words;
  for (const auto& [axis, value] : constants) words.push_back(fmt::format("{}={}", axis, value));
  return text::join(words, " ");
}

std::string Group::label(const Row& row, std::string_view without) const {
  std::vector<std::string> words;
  for (const std::string& axis : axes) {
    const std::string value = axis_of(row, axis);
    if (axis != without && !value.empty()) words.push_back(fmt::format("{}={}", axis, value));
  }
  return text::join(words, " ");
}

std::vector<Group> group_rows(const std::vector<Row>& rows) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (const Row& row : rows) {
    if (!row.ok()) continue;
    const auto [place, fresh] = places.emplace(row.name, groups.size());
    if (fresh) groups.push_back({row.name, {}, {}, {}});
    groups[place->second].rows.push_back(&row);
  }
  for (Group& group : groups) {
    std::map<std::string, std::set<std::string>> values;
    for (const Row* row : group.rows) {
      for (const auto& [axis, value] : row->cases.front()->params) values[axis];
    }
    for (auto& [axis, seen] : values) {
      for (const Row* row : group.rows) seen.insert(axis_of(*row, axis));
      if (seen.size() == 1) {
        group.constants[axis] = *seen.begin();
      } else {
        group.axes.push_back(axis);
      }
    }
  }
  return groups;
}

}  // namespace scalemark::html
