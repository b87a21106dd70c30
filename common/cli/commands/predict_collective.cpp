// SPDX-License-Identifier: Apache-2.0
// Looks a message up among measured rows, or predicts it from them.
#include "common/cli/commands/predict_collective.hpp"

#include <algorithm>
#include <string_view>

#include "common/base/error.hpp"
#include "common/cli/commands/predict_rows.hpp"
#include "common/predict/op_cost.hpp"

namespace scalemark::cli {
namespace {

constexpr double kIntervalLevel = 0.9;  ///< of intervals that are not printed

}  // namespace

Collective::Collective(const std::vector<std::string>& files, const std::string& benchmark,
                       const std::vector<std::string>& words) {
  std::vector<CollectiveRows> all = read_collective_rows(files, benchmark, words);
  if (all.empty()) return;
  CollectiveRows& rows =
      *std::ranges::min_element(all, {}, [](const CollectiveRows& one) { return one.key.size(); });
  times_ = std::move(rows.times);
  const std::string_view name = std::string_view(benchmark).substr(benchmark.find('/') + 1);
  if (ranks_in(times_).size() > 1 && !predict::forms_of(name).empty())
    predictor_ = std::make_unique<predict::CollectivePredictor>(name, times_, rows.one_node);
}

std::optional<MessageTime> Collective::time(double bytes, int ranks) const {
  std::map<double, double> own;  // s, by bytes
  for (const predict::CollectiveTime& one : times_) {
    if (one.ranks == ranks) own[one.bytes] = one.seconds;
  }
  if (const auto found = predict::interpolated(own, bytes))
    return MessageTime{*found, own.contains(bytes) ? "measured" : "interpolated", true};
  if (!predictor_) return std::nullopt;
  try {
    const predict::CollectivePrediction found = predictor_->predict(ranks, bytes, kIntervalLevel);
    const std::string form = found.forms.front().name();
    const char* const word = !found.is_tested() ? ", untested" : found.fits() ? "" : ", no fit";
    return MessageTime{found.seconds, form + word, false};
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
