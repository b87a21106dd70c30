// SPDX-License-Identifier: Apache-2.0
// Looks a message up among measured rows, or predicts it from them.
#include "common/cli/commands/predict_collective.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/predict_rows.hpp"
#include "common/core/benchmark.hpp"
#include "common/predict/op_cost.hpp"
#include "common/result/point.hpp"

namespace scalemark::cli {
namespace {

/// `words`, and the implied values of axes that they do not name.
std::vector<std::string> with_implied_words(const std::string& benchmark,
                                            std::vector<std::string> words) {
  const Benchmark* const declared = Registry::instance().find(benchmark);
  if (declared == nullptr) return words;
  for (const Axis& axis : declared->axes()) {
    const std::string name = axis.name + "=";
    const auto names_it = [&](const std::string& word) { return word.starts_with(name); };
    if (axis.implied && std::ranges::none_of(words, names_it))
      words.push_back(name + to_text(*axis.implied));
  }
  return words;
}

/// The axes in which rows differ: "transfer (direct, none)".
std::string differences(const std::vector<CollectiveRows>& all) {
  std::set<std::string> axes;
  for (const CollectiveRows& one : all) {
    for (const auto& [axis, value] : one.point) axes.insert(axis);
  }
  std::vector<std::string> told;
  for (const std::string& axis : axes) {
    std::set<std::string> values;
    for (const CollectiveRows& one : all) {
      const Value* const value = one.point.find(axis);
      values.insert(value == nullptr ? "none" : to_text(*value));
    }
    if (values.size() > 1) told.push_back(fmt::format("{} ({})", axis, fmt::join(values, ", ")));
  }
  return text::join(told, ", ");
}

}  // namespace

std::optional<std::pair<double, double>> interval_of(const predict::CollectivePrediction& found,
                                                     const RankReach& reach, double run_deviation,
                                                     double level) {
  if (!found.fits() || !found.half_width || reach.is_far()) return std::nullopt;
  const double factor = interval_factor(*found.half_width, run_deviation, level);
  return std::pair(found.low / factor, found.high * factor);
}

Collective::Collective(const std::vector<std::string>& files, const std::string& benchmark,
                       const std::vector<std::string>& words) {
  std::vector<CollectiveRows> all =
      read_collective_rows(files, benchmark, with_implied_words(benchmark, words));
  if (all.empty()) return;
  if (all.size() > 1)
    throw InputError(fmt::format(
        "rows of {} differ in {}, so that it is not known which to take: give the files of "
        "one kind only",
        benchmark, text::printable(differences(all), 400)));
  CollectiveRows& rows = all.front();
  const std::string name = name_in_suite(benchmark);
  if (ranks_in(rows.times).size() > 1 && !predict::forms_of(name).empty())
    predictor_ = std::make_unique<predict::CollectivePredictor>(name, rows.times, rows.one_node);
  run_deviation_ = rows.run_deviation;
  times_ = std::move(rows.times);
  times_.insert(times_.end(), rows.one_node.begin(), rows.one_node.end());
}

std::optional<MessageTime> Collective::measured(double bytes, int ranks, int nodes) const {
  constexpr int kUnknown = std::numeric_limits<int>::max();  // behind those that are known
  std::map<int, std::map<double, double>> by_nodes;          // s, by bytes
  for (const predict::CollectiveTime& one : times_) {
    if (one.ranks == ranks)
      by_nodes[one.nodes == 0 ? kUnknown : one.nodes][one.bytes] = one.seconds;
  }
  for (const auto& [on, own] : by_nodes) {
    if (nodes != 0 && on != nodes && on != kUnknown) continue;
    const std::optional<double> found = predict::interpolated(own, bytes);
    if (!found) continue;
    std::string source = own.contains(bytes) ? "measured" : "interpolated";
    if (by_nodes.size() > 1 && on != kUnknown) source += " on " + text::counted(on, "node");
    return MessageTime{*found, std::move(source), true};
  }
  return std::nullopt;
}

std::optional<MessageTime> Collective::time(double bytes, int ranks, int nodes) const {
  if (auto found = measured(bytes, ranks, nodes)) return found;
  if (!predictor_) return std::nullopt;
  try {
    const predict::CollectivePrediction found = predictor_->predict(ranks, bytes, kIntervalLevel);
    const std::string form = found.forms.front().name();
    const char* const word = !found.is_tested() ? ", untested" : found.fits() ? "" : ", no fit";
    const RankReach reach = reach_of(ranks, ranks_in(found.used));
    return MessageTime{found.seconds, form + word, false, reach,
                       interval_of(found, reach, run_deviation_, kIntervalLevel)};
  } catch (const Error&) {  // too few numbers of ranks beside this size
    return std::nullopt;
  }
}

const Collective& Collectives::of(const CollectiveName& name) {
  const auto known = read_.find(name);
  if (known != read_.end()) return known->second;
  return read_.emplace(name, Collective(files_, name.first, name.second)).first->second;
}

const OverlapRows& Collectives::overlap() {
  if (!overlap_) overlap_.emplace(files_);
  return *overlap_;
}

}  // namespace scalemark::cli
