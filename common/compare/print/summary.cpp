// SPDX-License-Identifier: Apache-2.0
// Writes the summary sentence of a comparison.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/compare/print/formats.hpp"
#include "common/result/point.hpp"
#include "common/text/cells.hpp"

namespace scalemark::compare {
namespace {

/// The sentence never asks for more additional runs per side than this.
constexpr int kManyMoreRuns = 50;
constexpr std::size_t kSubjectWidth = 24;

using Rows = std::vector<const CompareRow*>;

/// "2 of 8 cases", "all 8 cases", "the only case".
std::string of_cases(std::size_t count, std::size_t all) {
  if (all == 1) return "the only case";
  return count == all ? fmt::format("all {} cases", all)
                      : fmt::format("{} of {} cases", count, all);
}

/// "2 of them", "them", "it".
std::string of_them(std::size_t count, std::size_t all) {
  if (count < all) return fmt::format("{} of them", count);
  return all == 1 ? "it" : "them";
}

std::string spoken_percent(double fraction) {
  const double value = 100 * fraction, size = std::abs(value);
  return fmt::format("{:+.{}f} %", value, size < 9.95 ? 1 : 0);
}

/// Whether "slower" and "faster" fit the metric: times and rates do, loss or memory do not.
bool is_speed(const CompareRow& row) { return row.unit == "s" || row.unit.ends_with("/s"); }

const char* comparative(const Rows& rows, bool worse) {
  const bool speed = std::ranges::all_of(rows, [](const auto* row) { return is_speed(*row); });
  return speed ? (worse ? "slower" : "faster") : (worse ? "worse" : "better");
}

std::vector<std::string> keys_of(const Comparison& comparison) {
  std::vector<std::string> keys;
  for (const CompareRow& row : comparison.rows) keys.push_back(row.key);
  for (const FailedRow& row : comparison.failed) keys.push_back(row.key);
  keys.insert(keys.end(), comparison.only_a.begin(), comparison.only_a.end());
  keys.insert(keys.end(), comparison.only_b.begin(), comparison.only_b.end());
  return keys;
}

/// A parameter in readable form: "64 MiB", "h2h", "ranks=2".
std::string spoken(const std::string& parameter) {
  const std::size_t equals = parameter.find('=');
  if (equals == std::string::npos) return parameter;
  const std::string name = parameter.substr(0, equals), value = parameter.substr(equals + 1);
  const std::optional<std::int64_t> number = text::parse_integer(value);
  if (name == "bytes" && number && *number >= 0)
    return units::bytes(static_cast<std::uint64_t>(*number));
  const bool is_word = !value.empty() && !number && value != "true" && value != "false" &&
                       (value[0] < '0' || value[0] > '9');
  return is_word ? value : parameter;
}

/// The benchmark and the parameters that differ between its cases: "memcpy 64 MiB h2h".
std::string short_case(const std::string& key, const std::vector<std::string>& keys) {
  const std::vector<std::string> parts = text::split(key, ' ');
  std::map<std::string, std::size_t> occurrences;
  std::set<std::string> same_benchmark;
  for (const std::string& other : keys) {
    if (name_in_suite(other) != name_in_suite(key) || !same_benchmark.insert(other).second)
      continue;
    const std::vector<std::string> words = text::split(other, ' ');
    for (const std::string& part : std::set<std::string>(words.begin(), words.end()))
      ++occurrences[part];
  }
  std::string name = name_in_suite(key);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (occurrences[parts[i]] < same_benchmark.size()) name.append(" ").append(spoken(parts[i]));
  }
  return text::printable(name, 120);
}

/// The row with the largest change in either direction.
const CompareRow& largest_change(const Rows& rows) {
  return **std::ranges::max_element(
      rows, {}, [](const CompareRow* row) { return std::abs(std::log1p(row->change)); });
}

std::string change_of(const CompareRow& row, const std::vector<std::string>& keys) {
  const std::string metric = is_speed(row) && row.unit == "s" ? "" : row.metric + " ";
  return fmt::format("{} {}{}", short_case(row.key, keys), metric, spoken_percent(row.change));
}

/// The rows of a comparison by outcome.
struct RowGroups {
  Rows worse, better, same, open;
  Rows suspected;  ///< untested rows that are worse by more than --single-run-threshold
  std::size_t all() const {
    return worse.size() + better.size() + same.size() + open.size() + suspected.size();
  }
};

RowGroups row_groups(const Comparison& comparison) {
  RowGroups groups;
  for (const CompareRow& row : comparison.rows) {
    if (!std::isfinite(row.change)) continue;
    if (row.verdict == Verdict::regression) {
      groups.worse.push_back(&row);
    } else if (counts_as_regression(row)) {
      groups.suspected.push_back(&row);
    } else if (row.verdict == Verdict::improved) {
      groups.better.push_back(&row);
    } else {
      (row.verdict == Verdict::same ? groups.same : groups.open).push_back(&row);
    }
  }
  return groups;
}

bool is_untested(const CompareRow* row) { return std::isnan(row->low); }

/// How many more runs would decide the inconclusive rows.
struct RunsOutlook {
  std::vector<int> needed;      ///< total runs per side, for rows that few more runs decide; sorted
  std::size_t undecidable = 0;  ///< rows that need more than kManyMoreRuns additional runs
  bool uneven = false;          ///< number of runs differs between rows or sides
  int runs_made = 0;            ///< existing runs per side
};

RunsOutlook outlook_of(const Rows& open) {
  RunsOutlook outlook;
  for (const CompareRow* row : open) {
    if (!row->runs_needed) continue;
    if (*row->runs_needed > std::max(row->runs_a, row->runs_b) + kManyMoreRuns) {
      ++outlook.undecidable;
      continue;
    }
    outlook.uneven = outlook.uneven || row->runs_a != row->runs_b ||
                     (outlook.runs_made > 0 && outlook.runs_made != row->runs_a);
    outlook.runs_made = row->runs_a;
    outlook.needed.push_back(*row->runs_needed);
  }
  std::ranges::sort(outlook.needed);
  return outlook;
}

/// The advice for rows that more runs do not decide: ", the other 2 need a quieter machine or a
/// larger --threshold".
std::string rest_advice(std::size_t rest, bool runs_help, bool whole) {
  const std::string who = rest == 1 ? (whole ? "the other needs" : "1 needs")
                                    : fmt::format("{}{} need", whole ? "the other " : "", rest);
  return fmt::format(", {} {}a quieter machine or a larger --threshold", who,
                     runs_help ? "more runs, " : "");
}

/// "5 more runs per side would decide 4 of them, the other 2 need a quieter machine or a larger
/// --threshold". Empty if no number is known.
std::string runs_advice(const Rows& open) {
  if (!open.empty() && std::ranges::all_of(open, is_untested))
    return "3 runs per side would show the noise";
  const RunsOutlook outlook = outlook_of(open);
  const std::vector<int>& needed = outlook.needed;
  if (needed.empty()) {
    if (outlook.undecidable == 0) return "";
    return fmt::format("more runs will not decide {}: quieten the machine or raise --threshold",
                       of_them(outlook.undecidable, open.size()));
  }
  // Enough runs for two thirds of the rows; the remaining rows need many more.
  const int runs = needed[(2 * needed.size() + 2) / 3 - 1];
  const auto decided = static_cast<std::size_t>(
      std::ranges::count_if(needed, [runs](int one) { return one <= runs; }));
  const int added = outlook.uneven ? runs : runs - outlook.runs_made;
  std::string advice =
      fmt::format("{} {}run{} per side would decide {}", added, outlook.uneven ? "" : "more ",
                  added == 1 ? "" : "s", of_them(decided, open.size()));
  const std::size_t rest = outlook.undecidable + needed.size() - decided;
  if (rest > 0)
    advice += rest_advice(rest, outlook.undecidable < rest, decided + rest == open.size());
  return advice;
}

std::string with_advice(std::string text, const Rows& open) {
  const std::string advice = runs_advice(open);
  return advice.empty() ? text : fmt::format("{} ({})", text, advice);
}

std::string changed_clause(const RowGroups& groups, const std::string& b,
                           const std::vector<std::string>& keys) {
  const auto clause = [&](const Rows& rows, bool worse) {
    return fmt::format("{} in {}: {}", comparative(rows, worse),
                       of_cases(rows.size(), groups.all()), change_of(largest_change(rows), keys));
  };
  if (groups.worse.empty()) return fmt::format("{} is {}", b, clause(groups.better, false));
  std::string text = fmt::format("{} is {}", b, clause(groups.worse, true));
  if (!groups.better.empty()) {
    text += fmt::format(", and {} in {}: {}", comparative(groups.better, false),
                        groups.better.size(), change_of(largest_change(groups.better), keys));
  }
  return text;
}

/// The clause for results without a significant change.
std::string quiet_clause(const RowGroups& groups, const Comparison& comparison,
                         const std::string& a, const std::string& b,
                         const std::vector<std::string>& keys) {
  const double threshold = 100 * comparison.options.threshold;
  const std::size_t all = groups.all();
  if (groups.open.empty()) {
    return fmt::format("{} is as good as {} in {}, within {:g} %", b, a, of_cases(all, all),
                       threshold);
  }
  if (std::ranges::all_of(groups.open, is_untested) && groups.same.empty()) {
    return with_advice(
        fmt::format(
            "One run per side cannot show whether {} changed: largest difference {}; {} undecided",
            b, change_of(largest_change(groups.open), keys), of_cases(all, all)),
        groups.open);
  }
  if (groups.same.empty()) {
    return with_advice(
        fmt::format("No change is shown between {} and {}, and none ruled out: {} undecided", a, b,
                    of_cases(all, all)),
        groups.open);
  }
  return with_advice(fmt::format("{} is as good as {} in {}, within {:g} %; {} undecided", b, a,
                                 of_cases(groups.same.size(), all), threshold, groups.open.size()),
                     groups.open);
}

/// The clause for single runs that exceed --single-run-threshold.
std::string suspected_clause(const RowGroups& groups, const Comparison& comparison,
                             const std::string& b, const std::vector<std::string>& keys) {
  return fmt::format("{} is over {:g} % {} in {}, by one run per side: {}", b,
                     100 * comparison.options.single_run_threshold.value_or(0),
                     comparative(groups.suspected, true),
                     of_cases(groups.suspected.size(), groups.all()),
                     change_of(largest_change(groups.suspected), keys));
}

/// Failed and missing cases: "1 case failed in new: memcpy 8 B", "2 cases missing in new: ...".
std::vector<std::string> lost_clauses(const Comparison& comparison, const std::string& b,
                                      const std::vector<std::string>& keys) {
  std::vector<std::string> clauses;
  const auto failed = std::ranges::find_if(comparison.failed, &FailedRow::counts);
  if (failed != comparison.failed.end()) {
    clauses.push_back(fmt::format("{} failed in {}: {}",
                                  text::counted(comparison.count_failed(), "case"), b,
                                  short_case(failed->key, keys)));
  }
  if (!comparison.only_a.empty()) {
    clauses.push_back(fmt::format("{} missing in {}: {}",
                                  text::counted(comparison.only_a.size(), "case"), b,
                                  short_case(comparison.only_a.front(), keys)));
  }
  return clauses;
}

}  // namespace

std::string summary_sentence(const Comparison& comparison) {
  const auto name = [](const SideFacts& side, const char* letter) {
    return side.name.size() <= kSubjectWidth ? side.called(letter) : letter;
  };
  const std::string a = name(comparison.side_a, "A"), b = name(comparison.side_b, "B");
  const std::vector<std::string> keys = keys_of(comparison);
  const RowGroups groups = row_groups(comparison);
  const std::vector<std::string> lost = lost_clauses(comparison, b, keys);
  if (groups.all() == 0) {
    std::vector<std::string> parts = {fmt::format(
        "Nothing was compared: no case has {} in both {} and {}",
        comparison.rows.empty() ? "a result" : "a usable value of the same metric", a, b)};
    parts.insert(parts.end(), lost.begin(), lost.end());
    return text::join(parts, "; ");
  }
  std::vector<std::string> parts;
  const bool worse = !groups.worse.empty() || !groups.suspected.empty();
  if (!worse) parts = lost;
  if (!groups.suspected.empty()) parts.push_back(suspected_clause(groups, comparison, b, keys));
  if (!groups.worse.empty() || !groups.better.empty()) {
    parts.push_back(changed_clause(groups, b, keys));
  } else if (groups.suspected.empty()) {
    parts.push_back(quiet_clause(groups, comparison, a, b, keys));
  }
  if (worse) parts.insert(parts.end(), lost.begin(), lost.end());
  const bool is_quiet = groups.worse.empty() && groups.better.empty() && groups.suspected.empty();
  if (!is_quiet && !groups.open.empty()) {
    parts.push_back(with_advice(fmt::format("{} undecided", groups.open.size()), groups.open));
  }
  return text::join(parts, "; ");
}

}  // namespace scalemark::compare
