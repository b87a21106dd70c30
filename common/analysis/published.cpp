// SPDX-License-Identifier: Apache-2.0
// Parses the published numbers and finds the cases that repeat their experiments.
#include "common/analysis/published.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/analysis/published_csv.hpp"
#include "common/base/text.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::analysis {
namespace {

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Parses words name=value; empty if a word has another form.
std::map<std::string, std::string> pairs(const std::string& text) {
  std::map<std::string, std::string> result;
  for (const std::string& word : text::split(text, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) return {};
    result[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return result;
}

std::string workload_of(const std::string& experiment) {
  if (experiment.starts_with("imaging-")) return "imaging/train";
  if (experiment.starts_with("llm-")) return "llm/finetune";
  return "";
}

/// Whether the case trained on all 60,000 images, as the studies did.
bool on_full_set(const CaseResult& result) {
  const Value* images = result.params.find("images");
  return images == nullptr || to_text(*images) == "60000";
}

/// The profiling study's scenario (source of the images). The study kept the images in each rank's
/// memory, so other values of `storage` match no scenario.
std::string scenario_of(const CaseResult& result) {
  const auto value = [&](const char* axis, const char* otherwise) {
    const Value* found = result.params.find(axis);
    return found == nullptr ? std::string(otherwise) : to_text(*found);
  };
  return value("storage", "per_rank") == "per_rank" ? value("scenario", "a") : "";
}

bool repeats(const CaseResult& result, const Published& one) {
  const auto text_of = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "scenario") return scenario_of(result);
    const Value* found = result.params.find(name);
    if (found == nullptr) return std::nullopt;
    return to_text(*found);
  };
  if (result.name != workload_of(one.experiment)) return false;
  // Profiling slows training, so profiled cases are compared only with profiled experiments.
  const bool watched = text_of("profile") == "true";
  if (watched != one.experiment.ends_with("-profile")) return false;
  if (one.gpus != 0 && text_of("ranks") != std::to_string(one.gpus)) return false;
  return std::ranges::all_of(one.parameters,
                             [&](const auto& pair) { return text_of(pair.first) == pair.second; });
}

}  // namespace

std::vector<Published> parse_published(std::string_view csv) {
  std::vector<Published> all;
  for (const std::string& line : text::split(std::string(csv), '\n')) {
    const std::vector<std::string> fields = text::split(line, ',');
    if (fields.size() != 7) continue;
    const auto gpus = fields[2].empty() ? 0 : text::parse_integer(fields[2]);
    const auto value = number(fields[5]);
    Published one{.experiment = fields[0], .source = fields[1], .parameters = pairs(fields[3])};
    if (!gpus || !value || one.parameters.empty()) continue;
    one.gpus = *gpus;
    const bool percent = fields[6] == "percent";
    one.metric = fields[4];
    one.unit = percent ? "1" : fields[6];
    one.value = percent ? *value / 100 : *value;
    all.push_back(std::move(one));
  }
  return all;
}

const std::vector<Published>& published_values() {
  static const std::vector<Published> all = parse_published(published_csv());
  return all;
}

std::vector<Published> published_for(const CaseResult& result, const std::vector<Published>& all) {
  std::vector<Published> found;
  if (result.status != Status::ok || !on_full_set(result)) return found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](const Published& one) {
    const Metric* metric = result.find(one.metric);
    return metric != nullptr && metric->unit == one.unit && repeats(result, one);
  });
  return found;
}

void add_published(const CaseResult& result, const std::vector<Published>& all,
                   std::vector<PublishedBeside>& found) {
  for (Published& one : published_for(result, all)) {
    const double here = median_of(result, *result.find(one.metric));
    const auto same = [&](const PublishedBeside& other) {
      return other.key == result.key && other.published == one;
    };
    auto place = std::ranges::find_if(found, same);
    if (place == found.end()) place = found.insert(place, {result.key, std::move(one), {}});
    place->here.push_back(here);
  }
}

void print_published(const std::vector<PublishedBeside>& found, std::ostream& out) {
  if (!found.empty()) out << "\nPublished (4 x H100 94 GB, PyTorch 2.2), against this file:\n";
  for (const auto& [key, one, values] : found) {
    const double here = stats::median(values);
    out << fmt::format(
        "  {}\n    {:<12} published {:.6g} {}, here {:.6g} {}, ratio {:.4g}  ({}, {}{})\n",
        text::printable(key, 400), one.metric, one.value, one.unit, here, one.unit,
        here / one.value, one.experiment, one.source,
        one.gpus == 0 ? ", number of GPUs not stated" : "");
  }
}

}  // namespace scalemark::analysis
