// SPDX-License-Identifier: Apache-2.0
// Groups rows by benchmark and folds sweeps into one line each.
#include "common/compare/fold.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/stats/limits.hpp"

namespace scalemark::compare {
namespace {

constexpr std::size_t kMinPoints = 3;

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// Replaces the value of an axis in a key.
std::string with_value(const std::string& key, const std::string& axis, const std::string& value) {
  std::vector<std::string> parts = text::split(key, ' ');
  for (std::string& part : parts) {
    if (part.starts_with(axis + "=")) part = fmt::format("{}={}", axis, value);
  }
  return text::join(parts, " ");
}

using Rows = std::vector<const CompareRow*>;

/// Groups rows whose keys differ only in `axis`, in order of first appearance. Rows without a
/// number there form groups of one.
std::vector<Rows> group_by_other_axes(const Rows& rows, const std::string& axis) {
  std::vector<Rows> kinds;
  std::map<std::tuple<std::string, Better>, std::size_t> places;
  for (const CompareRow* row : rows) {
    if (!number_of(axis_value(row->key, axis))) {
      kinds.push_back({row});
      continue;
    }
    const auto [place, fresh] =
        places.emplace(std::tuple(with_value(row->key, axis, ""), row->better), kinds.size());
    if (fresh) kinds.emplace_back();
    kinds[place->second].push_back(row);
  }
  return kinds;
}

std::size_t lines_of(const std::vector<Rows>& kinds) {
  std::size_t lines = 0;
  for (const Rows& kind : kinds) lines += kind.size() >= kMinPoints ? 1 : kind.size();
  return lines;
}

/// Axes with a numeric value in any row.
std::set<std::string> numeric_axes(const Rows& rows) {
  std::set<std::string> axes;
  for (const CompareRow* row : rows) {
    for (const std::string& part : text::split(row->key, ' ')) {
      const std::size_t equals = part.find('=');
      if (equals != std::string::npos && number_of(part.substr(equals + 1)))
        axes.insert(part.substr(0, equals));
    }
  }
  return axes;
}

/// The axis to fold by; empty = do not fold. `bytes` if that saves lines, else the axis that saves
/// most.
std::string best_axis(const Rows& rows) {
  if (lines_of(group_by_other_axes(rows, "bytes")) < rows.size()) return "bytes";
  std::string best;
  std::size_t fewest = rows.size();
  for (const std::string& axis : numeric_axes(rows)) {
    const std::size_t lines = lines_of(group_by_other_axes(rows, axis));
    if (lines >= fewest) continue;
    fewest = lines;
    best = axis;
  }
  return best;
}

Fold single(const CompareRow* row) { return {row->key, "", {row}, row}; }

/// Sort key, larger is worse: verdict first, then change of the cost.
std::pair<int, double> badness(const CompareRow& row) {
  const auto of_verdict = [](Verdict verdict) {
    switch (verdict) {
      case Verdict::regression:
        return 3;
      case Verdict::inconclusive:
        return 2;
      case Verdict::same:
        return 1;
      case Verdict::improved:
        return 0;
    }
    return 0;
  };
  const double change = std::log1p(row.change);
  const double cost = row.better == Better::higher ? -change : change;
  return {of_verdict(row.verdict), std::isfinite(cost) ? cost : -stats::kInfinity};
}

Fold sweep(Rows rows, const std::string& axis) {
  Fold fold{"", axis, std::move(rows), nullptr};
  fold.worst =
      *std::max_element(fold.rows.begin(), fold.rows.end(),
                        [](const auto* x, const auto* y) { return badness(*x) < badness(*y); });
  std::stable_sort(fold.rows.begin(), fold.rows.end(), [&](const auto* x, const auto* y) {
    return number_of(axis_value(x->key, axis)) < number_of(axis_value(y->key, axis));
  });
  fold.key = with_value(fold.worst->key, axis,
                        fmt::format("{}..{}", axis_value(fold.rows.front()->key, axis),
                                    axis_value(fold.rows.back()->key, axis)));
  return fold;
}

}  // namespace

bool FoldGroup::has_sweep() const {
  return std::any_of(folds.begin(), folds.end(),
                     [](const Fold& fold) { return !fold.axis.empty(); });
}

std::string axis_value(const std::string& key, const std::string& axis) {
  for (const std::string& part : text::split(key, ' ')) {
    if (part.starts_with(axis + "=")) return part.substr(axis.size() + 1);
  }
  return {};
}

std::vector<FoldGroup> fold_rows(std::span<const CompareRow> rows, bool all) {
  std::vector<FoldGroup> groups;
  std::vector<Rows> members;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (const CompareRow& row : rows) {
    const std::string benchmark = row.key.substr(0, row.key.find(' '));
    const auto [place, fresh] =
        places.emplace(std::tuple(benchmark, row.metric, row.unit), groups.size());
    if (fresh) {
      groups.push_back({benchmark, row.metric, row.unit, {}});
      members.emplace_back();
    }
    members[place->second].push_back(&row);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string axis = all ? std::string() : best_axis(members[i]);
    if (axis.empty()) {
      for (const CompareRow* row : members[i]) groups[i].folds.push_back(single(row));
      continue;
    }
    for (Rows& kind : group_by_other_axes(members[i], axis)) {
      if (kind.size() >= kMinPoints) {
        groups[i].folds.push_back(sweep(std::move(kind), axis));
      } else {
        for (const CompareRow* row : kind) groups[i].folds.push_back(single(row));
      }
    }
  }
  return groups;
}

}  // namespace scalemark::compare
