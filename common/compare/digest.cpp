// SPDX-License-Identifier: Apache-2.0
// Reduces runs to the values that a comparison needs.
#include "common/compare/digest.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/ucum.hpp"
#include "common/compare/baseline.hpp"
#include "common/compare/environment.hpp"
#include "common/compare/row_samples.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/limits.hpp"

namespace scalemark::compare {
namespace {

std::vector<SecondaryValue> secondary_values(const CaseResult& result) {
  std::vector<SecondaryValue> values;
  for (const Metric& metric : result.metrics) {
    const bool empty = metric.kind != MetricKind::rate && metric.samples.ranks == 0;
    if (metric.name == result.primary_metric || metric.better == Better::none || empty) continue;
    const units::BaseUnit unit = units::base_unit(metric.unit);
    values.push_back({text::printable(metric.name), text::printable(unit.unit), metric.better,
                      unit.factor * median_of(result, metric)});
  }
  return values;
}

/// Converts to base units, so that values in us and in s can be compared.
void to_base_unit(RowDigest& row) {
  const units::BaseUnit unit = units::base_unit(row.unit);
  row.unit = text::printable(unit.unit);
  for (double* one : {&row.value, &row.tail, &row.tail_low, &row.tail_high}) *one *= unit.factor;
  for (float& one : row.sketch) one += static_cast<float>(std::log(unit.factor));
}

RowDigest row_of(const CaseResult& result) {
  RowDigest row;
  row.status = result.status;
  row.reason = text::printable(result.reason);
  row.config_hash = result.config_hash;
  row.value = stats::kNan;
  if (result.verification.wrong > 0) {
    row.status = Status::failed;
    row.reason = fmt::format("wrong data: {} of {} elements", result.verification.wrong,
                             result.verification.checked);
  }
  const Metric* metric = result.find(result.primary_metric);
  if (row.status != Status::ok || metric == nullptr) return row;
  row.metric = text::printable(metric->name);
  row.unit = metric->unit;
  row.better = metric->better;
  digest_samples(result, *metric, row);
  to_base_unit(row);
  row.secondary = secondary_values(result);
  row.telemetry = telemetry_medians(result.tables);
  return row;
}

/// The scheduler's job ids, without the step id, which differs between runs of one job.
std::string job_of(const std::map<std::string, std::string>& scheduler) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : scheduler) {
    if (name != "SLURM_STEP_ID") parts.push_back(fmt::format("{}={}", name, value));
  }
  return text::join(parts, " ");
}

std::string node_names(const std::vector<RankInfo>& ranks) {
  std::set<std::string> nodes;
  for (const RankInfo& rank : ranks) nodes.insert(rank.node);
  return text::join(std::vector<std::string>(nodes.begin(), nodes.end()), " ");
}

/// Source, side and name of an imported run; empty otherwise. The name that a user gives to a run
/// of Scalemark does not identify it.
std::string imported_name(const Run& run) {
  const auto source = run.producer.find("imported_from");
  const auto name = run.tags.find("run");
  if (source == run.producer.end() || name == run.tags.end()) return {};
  const auto side = run.tags.find("side");
  return fmt::format("{}\n{}\n{}", source->second, side == run.tags.end() ? "" : side->second,
                     name->second);
}

}  // namespace

std::vector<const std::map<std::string, std::string>*> environments_of(
    std::span<const RunDigest> runs) {
  std::vector<const std::map<std::string, std::string>*> facts;
  for (const RunDigest& run : runs) facts.push_back(&run.environment);
  return facts;
}

Digester::Digester(const std::string& label) { digest_.label = text::printable(label); }

void Digester::header(const Run& run) {
  digest_.uuid = run.uuid;
  digest_.imported_as = imported_name(run);
  digest_.complete = run.complete;
  digest_.planned = run.planned.size();
  digest_.started = run.created;
  digest_.job = job_of(run.scheduler);
  digest_.nodes = node_names(run.ranks);
  digest_.environment = environment_facts(run);
  digest_.ranks = rank_tallies(run.ranks);
}

void Digester::add(const CaseResult& result) {
  ++digest_.finished;
  if (is_baseline(result)) {
    RunDigest known = baseline_digest(result, digest_.label);
    digest_.keys = std::move(known.keys);
    digest_.rows = std::move(known.rows);
    digest_.stands_for = std::move(known.stands_for);
    digest_.known_values = std::move(known.known_values);
    digest_.priors = std::move(known.priors);
    digest_.environment.clear();
    return;
  }
  std::string key = text::printable(result.key);
  if (!order_.emplace(result.index, key).second) {
    throw InputError(fmt::format("{}: two cases have the index {}", digest_.label, result.index));
  }
  const auto [place, fresh] = digest_.rows.try_emplace(std::move(key));
  if (!fresh) return;
  place->second = row_of(result);
  tally(result, digest_.ranks);
}

RunDigest Digester::finish() {
  if (!digest_.stands_for.empty()) {
    if (digest_.finished > 1)
      throw InputError(fmt::format("{}: a baseline and other cases in one file", digest_.label));
    return std::move(digest_);
  }
  std::set<std::string> seen;
  for (const auto& [index, key] : order_) {
    if (seen.insert(key).second) digest_.keys.push_back(key);
  }
  return std::move(digest_);
}

RunDigest digest(const Run& run, const std::string& label) {
  Digester digester(label);
  digester.header(run);
  std::size_t place = 0;
  for (const CaseResult& one : run.cases) {
    CaseResult next = one;
    next.index = place++;
    digester.add(next);
  }
  return digester.finish();
}

}  // namespace scalemark::compare
