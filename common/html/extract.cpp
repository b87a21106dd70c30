// SPDX-License-Identifier: Apache-2.0
// Reduces runs to what the page draws.
#include "common/html/extract.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/compare/environment.hpp"
#include "common/html/extract_samples.hpp"
#include "common/result/places.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kWord = 120, kSentence = 400, kKey = 600;
constexpr std::size_t kMaxQuantities = 6;
constexpr std::size_t kMaxGrids = 12;
constexpr std::size_t kMaxTrainings = 48;
constexpr std::size_t kMaxRanks = 4096;
constexpr std::size_t kMaxMoves = 16;
/// Ranks of a timeline, and intervals of a rank.
constexpr std::size_t kMaxTimelines = 16, kMaxEntries = 120;

bool is_bookkeeping(const std::string& metric) {
  return metric == "first_call" || metric == "timer_cost";
}

std::optional<double> peak_of(const CaseResult& result, const Metric& metric) {
  // The peak of achieved_flops is the fact peak_flops.
  const std::string name = metric.name == "achieved_flops" ? std::string("flops") : metric.name;
  const auto found = result.facts.find("peak_" + name);
  if (found == result.facts.end()) return std::nullopt;
  if (const auto* number = std::get_if<double>(&found->second)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&found->second))
    return static_cast<double>(*whole);
  return std::nullopt;
}

void add_quantities(const CaseResult& result, CaseExtract& extract) {
  const auto add = [&](const Metric& metric) {
    extract.quantities.push_back({text::printable(metric.name, kWord),
                                  text::printable(metric.unit, kWord), metric.better, metric.kind,
                                  summarise(result, metric), peak_of(result, metric)});
  };
  const Metric* primary = result.find(result.primary_metric);
  if (primary != nullptr) add(*primary);
  // Rates of work (images_per_second, tokens_per_second) come before the parts of a step.
  for (const bool headline : {true, false}) {
    for (const Metric& metric : result.metrics) {
      if (&metric == primary || is_bookkeeping(metric.name)) continue;
      if (metric.name.ends_with("s_per_second") != headline) continue;
      if (extract.quantities.size() == kMaxQuantities) break;
      add(metric);
    }
  }
}

/// Without steps, which are too many to draw.
std::vector<analysis::RankTimeline> timeline_of(const CaseResult& result) {
  std::vector<analysis::RankTimeline> lines = analysis::timelines(result);
  if (lines.size() > kMaxTimelines) lines.resize(kMaxTimelines);
  for (analysis::RankTimeline& line : lines) {
    std::erase_if(line.entries, [](const analysis::TimelineEntry& entry) {
      return entry.what == analysis::kStepKind;
    });
    if (line.entries.size() > kMaxEntries) line.entries.resize(kMaxEntries);
  }
  return lines;
}

/// Drops the rank grid with the smallest imbalance if there are more than kMaxGrids.
void keep_most_telling(std::vector<CaseExtract>& cases) {
  CaseExtract* least = nullptr;
  std::size_t count = 0;
  for (CaseExtract& one : cases) {
    if (!one.grid) continue;
    ++count;
    if (least == nullptr || one.grid->imbalance < least->grid->imbalance) least = &one;
  }
  if (count > kMaxGrids) least->grid.reset();
}

void add_scaling(const CaseResult& result, std::vector<analysis::ScalingCase>& scaling) {
  std::optional<analysis::ScalingCase> one = analysis::scaling_case(result);
  if (!one) return;
  for (std::string* text : {&one->key, &one->curve}) *text = text::printable(*text, kKey);
  for (std::string* text : {&one->rate_name, &one->rate_unit, &one->work_rule})
    *text = text::printable(*text, kWord);
  scaling.push_back(std::move(*one));
}

std::vector<RankInfo> cleaned(std::vector<RankInfo> ranks) {
  if (ranks.size() > kMaxRanks) ranks.resize(kMaxRanks);
  for (RankInfo& rank : ranks) {
    for (std::string* text : {&rank.node, &rank.cpuset, &rank.gpu_uuid, &rank.gpu_pci,
                              &rank.gpu_model, &rank.nic, &rank.note})
      *text = text::printable(*text, kWord);
  }
  return ranks;
}

bool same_place(const RankInfo& a, const RankInfo& b) {
  return a.node == b.node && a.cpuset == b.cpuset && a.gpu_uuid == b.gpu_uuid &&
         a.gpu_pci == b.gpu_pci;
}

/// Index in RunExtract::moved. After kMaxMoves placements all further ones share one entry without
/// ranks.
std::optional<std::size_t> add_placement(const CaseResult& result, RunExtract& run) {
  if (!result.tables.contains(kPlacesTable)) return std::nullopt;
  std::vector<RankInfo> ranks = cleaned(ranks_of_case(result, {}));
  const auto same = [&](const Placement& one) {
    return std::ranges::equal(one.ranks, ranks, same_place);
  };
  auto found = std::ranges::find_if(run.moved, same);
  if (found == run.moved.end()) {
    if (run.moved.size() > kMaxMoves) return kMaxMoves;
    if (run.moved.size() == kMaxMoves) ranks.clear();
    found = run.moved.insert(found, {std::move(ranks), 0});
  }
  ++found->cases;
  return static_cast<std::size_t>(found - run.moved.begin());
}

}  // namespace

const Quantity* CaseExtract::find(std::string_view metric) const {
  const auto found = std::ranges::find(quantities, metric, &Quantity::name);
  return found == quantities.end() ? nullptr : &*found;
}

const std::vector<RankInfo>& placement_of(const CaseExtract& one, const RunExtract& run) {
  return one.placement ? run.moved[*one.placement].ranks : run.ranks;
}

RunExtract extract_header(const Run& header, const std::string& label) {
  RunExtract run;
  run.label = text::printable(label, kSentence);
  run.uuid = text::printable(header.uuid, kWord);
  run.created = text::printable(header.created, kWord);
  run.exit_reason = text::printable(header.exit_reason, kSentence);
  run.command_line = text::printable(header.command_line, kSentence);
  run.complete = header.complete;
  run.planned = header.planned.size();
  run.facts = compare::environment_facts(header);
  if (const auto paths = header.environment.common.find("gpu_paths");
      paths != header.environment.common.end())
    run.gpu_paths = analysis::parse_gpu_paths(paths->second);
  run.ranks = cleaned(header.ranks);
  return run;
}

void extract_case(const CaseResult& result, RunExtract& run) {
  CaseExtract extract;
  extract.key = text::printable(result.key, kKey);
  const std::vector<std::string> words = text::split(extract.key, ' ');
  extract.name = words.empty() ? std::string() : words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos) continue;
    extract.params[words[i].substr(0, equals)] = words[i].substr(equals + 1);
  }
  extract.status = result.status;
  extract.reason = text::printable(result.reason, kSentence);
  if (result.verification.wrong > 0) {
    extract.status = Status::failed;
    extract.reason = fmt::format("wrong data: {} of {} elements", result.verification.wrong,
                                 result.verification.checked);
  }
  if (extract.status == Status::ok) {
    add_quantities(result, extract);
    extract.quantiles = quantiles_of(result);
    extract.grid = grid_of(result);
    if (std::ranges::count_if(run.cases, [](const CaseExtract& one) {
          return one.training.has_value();
        }) < static_cast<std::ptrdiff_t>(kMaxTrainings))
      extract.training = training_of(result);
    extract.gpu_pairs = analysis::gpu_pairs(result);
    extract.timeline = timeline_of(result);
    add_scaling(result, run.scaling);
  }
  if (auto one = study::measured(result)) run.studied.push_back(std::move(*one));
  extract.placement = add_placement(result, run);
  const bool gridded = extract.grid.has_value();
  run.cases.push_back(std::move(extract));
  if (gridded) keep_most_telling(run.cases);
}

}  // namespace scalemark::html
