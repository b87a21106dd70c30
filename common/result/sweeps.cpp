// SPDX-License-Identifier: Apache-2.0
// Joins sweeps, and computes the spread between and within them.
#include "common/result/sweeps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/result/summarise.hpp"
#include "common/result/table_rows.hpp"

namespace scalemark {
namespace {

constexpr const char* kSweeps = "sweeps";
constexpr const char* kPlanned = "sweeps_planned";
constexpr const char* kStarts = "sweep_starts";
constexpr const char* kBetween = "between_sweeps";
constexpr const char* kWithin = "within_sweeps";
/// Measured once per launch: a later sweep is already warm.
constexpr std::string_view kFirstCall = "first_call";

int count_of(const CaseResult& result, const char* fact) {
  const auto* const count = find_as<std::int64_t>(result.facts, fact);
  return count == nullptr ? 1 : static_cast<int>(*count);
}

std::string starts_fact(const Metric& metric) { return fmt::format("{}_{}", kStarts, metric.name); }

std::string starts_text(const std::vector<std::size_t>& starts) {
  return fmt::format("{}", fmt::join(starts, ","));
}

bool is_joined(const Metric& metric) {
  return metric.samples.ranks > 0 && metric.name != kFirstCall;
}

template <class T>
void require_equal(const Metric& metric, std::string_view what, const T& before, const T& now) {
  if (before == now) return;
  throw Error(fmt::format("metric '{}' has {} {} in this sweep and {} in those before", metric.name,
                          what, now, before));
}

void require_same_metric(const Metric& before, const Metric& now) {
  require_equal(now, "the unit", before.unit, now.unit);
  require_equal(now, "the direction", to_string(before.better), to_string(now.better));
  require_equal(now, "the kind", to_string(before.kind), to_string(now.kind));
  require_equal(now, "the rank_reduce", to_string(before.rank_reduce), to_string(now.rank_reduce));
  require_equal(now, "the formula", before.formula, now.formula);
  require_equal(now, "the source", before.source, now.source);
  require_equal(now, "the numerator", before.numerator, now.numerator);
  if (now.name == kFirstCall) return;
  const Samples &earlier = before.samples, &samples = now.samples;
  require_equal(now, "the number of ranks", earlier.ranks, samples.ranks);
  require_equal(now, "the scale", earlier.scale, samples.scale);
  require_equal(now, "operations a sample:", earlier.inner, samples.inner);
  require_equal(now, "values of type", earlier.values.index(), samples.values.index());
}

void require_same_metrics(const CaseResult& all, const CaseResult& next) {
  for (const Metric& before : all.metrics) {
    const Metric* now = next.find(before.name);
    if (now == nullptr) {
      throw Error(fmt::format("metric '{}' of the sweeps before is not in this one", before.name));
    }
    require_same_metric(before, *now);
  }
  for (const Metric& now : next.metrics) {
    if (all.find(now.name) == nullptr)
      throw Error(fmt::format("metric '{}' is in no sweep before", now.name));
  }
}

template <class T>
std::vector<T> joined_rows(const std::vector<T>& before, std::size_t n, const std::vector<T>& now,
                           std::size_t m, std::size_t ranks) {
  std::vector<T> all;
  all.reserve(before.size() + now.size());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto row = [rank](const std::vector<T>& values, std::size_t length) {
      return values.begin() + static_cast<std::ptrdiff_t>(rank * length);
    };
    all.insert(all.end(), row(before, n), row(before, n) + static_cast<std::ptrdiff_t>(n));
    all.insert(all.end(), row(now, m), row(now, m) + static_cast<std::ptrdiff_t>(m));
  }
  return all;
}

/// If only one of the two sweeps has a mask, the other one's is all zero.
template <class T>
void append_mask(std::vector<T>& all, std::size_t n, const std::vector<T>& next, std::size_t m) {
  if (all.empty() && next.empty()) return;
  all.resize(n);
  all.insert(all.end(), next.begin(), next.end());
  all.resize(n + m);
}

void append_samples(Samples& all, const Samples& next) {
  const std::size_t n = all.iterations, m = next.iterations;
  std::visit(
      [&](auto& values) {
        const auto& more = std::get<std::decay_t<decltype(values)>>(next.values);
        if (values.size() != all.ranks * n || more.size() != next.ranks * m)
          throw Error("samples were not read");
        values = joined_rows(values, n, more, m, all.ranks);
      },
      all.values);
  append_mask(all.warmup, n, next.warmup, m);
  append_mask(all.flags, n, next.flags, m);
  if (all.t0.size() == n && next.t0.size() == m) {
    all.t0.insert(all.t0.end(), next.t0.begin(), next.t0.end());
  } else {
    all.t0.clear();
  }
  all.iterations = n + m;
}

void append_metrics(CaseResult& all, const CaseResult& next) {
  std::map<std::string, std::string> starts;
  for (Metric& metric : all.metrics) {
    if (!is_joined(metric)) continue;
    std::vector<std::size_t> begins = sweep_starts(all, metric);
    begins.push_back(metric.samples.iterations);
    starts[metric.name] = starts_text(begins);
    append_samples(metric.samples, next.find(metric.name)->samples);
  }
  const auto primary = starts.find(all.primary_metric);
  if (primary != starts.end()) all.facts[kStarts] = primary->second;
  for (const Metric& metric : all.metrics) {
    const auto own = starts.find(metric.name);
    if (own == starts.end() || (primary != starts.end() && own->second == primary->second))
      continue;
    all.facts[starts_fact(metric)] = own->second;
  }
}

bool has_times(const Table& table) {
  return std::ranges::find(table.columns, "t", &Column::name) != table.columns.end();
}

void append_tables(CaseResult& all, const CaseResult& next) {
  for (const auto& [name, table] : next.tables) {
    Table& mine = all.tables[name];
    if (has_times(mine) && has_times(table)) {
      append_rows(mine, table);
    } else {
      mine = table;
    }
  }
}

double number_of(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer != nullptr ? static_cast<double>(*integer) : 0;
}

void append_facts(NamedValues& all, const NamedValues& next) {
  for (const auto& [name, value] : next) {
    const auto [mine, is_new] = all.emplace(name, value);
    if (is_new) continue;
    if (name == "late_starts") {
      mine->second = static_cast<std::int64_t>(number_of(mine->second) + number_of(value));
    } else if (name == "clock_residual" || name == "barrier_time") {
      mine->second = std::max(number_of(mine->second), number_of(value));
    }
  }
}

int severity(Status status) {
  constexpr std::array kOrder = {Status::ok, Status::skipped, Status::oom, Status::timeout,
                                 Status::failed};
  return static_cast<int>(std::ranges::find(kOrder, status) - kOrder.begin());
}

void append_course(CaseResult& all, const CaseResult& next) {
  if (severity(next.status) > severity(all.status)) {
    all.status = next.status;
    all.reason = next.reason;
  }
  all.phase = next.phase;
  if (!next.stop_reason.empty()) all.stop_reason = next.stop_reason;
  if (!next.stopped.empty()) all.stopped = next.stopped;
  all.predicted_memory = std::max(all.predicted_memory, next.predicted_memory);
  Verification& check = all.verification;
  // A sweep that failed before its check does not change what earlier sweeps verified.
  if (next.status == Status::ok) check.done = check.done && next.verification.done;
  check.checked += next.verification.checked;
  check.wrong += next.verification.wrong;
  if (check.rule.empty()) check.rule = next.verification.rule;
}

void note_spread(CaseResult& all) {
  all.facts.erase(kBetween);
  all.facts.erase(kWithin);
  const std::optional<stats::RandomEffects> spread = spread_of_sweeps(all);
  if (!spread) return;
  all.facts[kBetween] = spread->between;
  all.facts[kWithin] = spread->within;
}

}  // namespace

void mark_sweep(CaseResult& part, int sweep, int planned) {
  part.facts[kSweeps] = std::int64_t{part.status == Status::ok ? 1 : 0};
  part.facts[kPlanned] = std::int64_t{planned};
  if (part.status == Status::ok || (part.status == Status::skipped && sweep == 0)) return;
  part.reason = fmt::format("sweep {} of {}: {}", sweep + 1, planned, part.reason);
}

int sweeps_of(const CaseResult& result) { return count_of(result, kSweeps); }

int sweeps_planned(const CaseResult& result) { return count_of(result, kPlanned); }

bool has_all_sweeps(const CaseResult& result) {
  return result.status != Status::ok || sweeps_of(result) >= sweeps_planned(result);
}

FinishedCase finished(const CaseResult& result) {
  return {result.status, result.status == Status::failed && result.verification.wrong > 0,
          has_all_sweeps(result) ? FinishedCase::kAllSweeps : sweeps_of(result)};
}

std::vector<std::size_t> sweep_starts(const CaseResult& result, const Metric& metric) {
  auto fact = result.facts.find(starts_fact(metric));
  if (fact == result.facts.end() && is_joined(metric)) fact = result.facts.find(kStarts);
  if (fact == result.facts.end()) return {0};
  const std::string said = to_text(fact->second);
  std::vector<std::size_t> starts;
  for (const std::string& word : text::split(said, ',')) {
    const std::int64_t start = text::parse_integer(word).value_or(-1);
    if (start < 0) break;
    starts.push_back(static_cast<std::size_t>(start));
  }
  const auto commas = static_cast<std::size_t>(std::ranges::count(said, ','));
  if (starts.size() != commas + 1 || starts.front() != 0 || !std::ranges::is_sorted(starts) ||
      starts.back() > metric.samples.iterations) {
    throw Error(fmt::format("fact {} of metric '{}' is '{}', which are no iterations of it",
                            fact->first, metric.name, text::printable(said, 80)));
  }
  return starts;
}

void append_sweep(CaseResult& all, const CaseResult& next) {
  if (all.key != next.key || all.index != next.index) {
    throw Error(fmt::format("sweeps over '{}' and '{}' are not of one case", all.key, next.key));
  }
  CaseResult joined = all;
  if (all.status == Status::ok && next.status == Status::ok) {
    require_same_metrics(all, next);
    append_metrics(joined, next);
    joined.facts[kSweeps] = std::int64_t{sweeps_of(all) + sweeps_of(next)};
  }
  append_tables(joined, next);
  append_facts(joined.facts, next.facts);
  append_course(joined, next);
  if (next.status == Status::ok) note_spread(joined);
  all = std::move(joined);
}

std::optional<stats::RandomEffects> spread_of_sweeps(const CaseResult& result) {
  const Metric* metric = result.find(result.primary_metric);
  if (metric != nullptr && metric->kind == MetricKind::rate) metric = result.find(metric->source);
  if (metric == nullptr) return std::nullopt;
  const std::vector<std::size_t> starts = sweep_starts(result, *metric);
  const std::vector<double> values = every_iteration(*metric);
  std::vector<std::vector<double>> groups(starts.size());
  std::size_t group = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    while (group + 1 < starts.size() && i >= starts[group + 1]) ++group;
    if (metric->samples.is_warmup(i)) continue;
    if (!(values[i] > 0)) return std::nullopt;
    groups[group].push_back(std::log(values[i]));
  }
  return stats::random_effects(groups);
}

}  // namespace scalemark
