// SPDX-License-Identifier: Apache-2.0
// Gathers trainings by their axes without ranks, and their steps without communication.
#include "common/cli/commands/predict_training_rows.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "common/analysis/message_costs.hpp"
#include "common/base/key.hpp"
#include "common/cli/commands/predict_rows.hpp"
#include "common/cli/commands/same_machine.hpp"
#include "common/predict/schedule.hpp"
#include "common/stats/summary.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

/// The steps of each rank less the communication that they waited for. Empty where that is not
/// known: on several ranks of GPUs, where the host runs ahead of the device.
std::vector<double> local_steps(const CaseResult& one, std::int64_t ranks) {
  const Metric* step = one.find("step_time");
  const Metric* exposed = one.find("exposed_communication_time");
  if (step == nullptr || (exposed == nullptr && ranks > 1)) return {};
  const Samples& samples = step->samples;
  if (exposed != nullptr && (exposed->samples.ranks != samples.ranks ||
                             exposed->samples.iterations != samples.iterations))
    return {};
  std::vector<double> seconds;
  for (std::size_t rank = 0; rank < samples.ranks; ++rank) {
    for (std::size_t i = 0; i < samples.iterations; ++i) {
      if (samples.is_warmup(i)) continue;
      const double waited = exposed == nullptr ? 0 : exposed->samples.value(rank, i);
      const double local = samples.value(rank, i) - waited;
      // A file may hold anything.
      if (!std::isfinite(local) || local <= 0) return {};
      seconds.push_back(local);
    }
  }
  return seconds;
}

/// A metric's value for each message of a step, the median of all ranks. Empty where there is none.
std::vector<double> message_values(const CaseResult& one, const std::string& name) {
  const Metric* metric = one.find(name);
  if (metric == nullptr) return {};
  std::vector<double> values;
  for (std::size_t message = 0; message < metric->samples.iterations; ++message) {
    std::vector<double> of_ranks;
    for (std::size_t rank = 0; rank < metric->samples.ranks; ++rank)
      of_ranks.push_back(metric->samples.value(rank, message));
    values.push_back(stats::median(of_ranks));
    if (!std::isfinite(values.back()) || values.back() < 0) return {};
  }
  return values;
}

/// FSDP's collectives in the order of their starts. Empty where they are not known.
std::vector<ShardMoments> shard_moments(const CaseResult& one) {
  std::vector<ShardMoments> all;
  for (const bool is_reduction : {false, true}) {
    const std::string prefix = is_reduction ? "reduction_" : "gather_";
    const std::vector<double> started = message_values(one, prefix + "start_time"),
                              needed = message_values(one, prefix + "need_time"),
                              sizes = message_values(one, prefix + "size");
    if (needed.size() != started.size() || sizes.size() != started.size()) return {};
    for (std::size_t i = 0; i < started.size(); ++i)
      all.push_back({.is_reduction = is_reduction,
                     .bytes = sizes[i],
                     .started = started[i],
                     .needed = std::max(started[i], needed[i])});
  }
  std::ranges::stable_sort(all, {}, &ShardMoments::started);
  return all;
}

std::string process_group_of(const CaseResult& one) {
  const auto* const text = find_as<std::string>(one.facts, "process_group");
  return text == nullptr ? std::string() : *text;
}

class TrainingGatherer {
 public:
  explicit TrainingGatherer(const Benchmark& benchmark) : benchmark_(benchmark) {}

  void read(const std::filesystem::path& file) {
    machine_.visit(file, [&](const Run& run, const CaseResult& one) { add(run, one); });
  }

  std::map<std::string, TrainingRows> rows;  ///< by key without ranks

 private:
  void add(const Run& run, const CaseResult& one) {
    if (one.name != benchmark_.name()) return;
    const std::optional<double> seconds = analysis::operation_seconds(one);
    Point point = benchmark_.with_implied(one.params);
    if (!seconds || !benchmark_.allows(point)) return;
    const std::int64_t ranks = point.integer("ranks");
    if (ranks < 1 || ranks > predict::kMaxRanks) return;
    const std::string key = key_without(one.key, {"ranks"});
    TrainingRows& into = rows[key];
    into.key = key;
    into.point = std::move(point);
    if (ranks > 1 || into.process_group.empty()) into.process_group = process_group_of(one);
    MeasuredTraining& measured = into.by_ranks[static_cast<int>(ranks)];
    measured.step.push_back(*seconds);
    measured.nodes.insert(nodes_of(run, ranks));
    const std::vector<double> local = local_steps(one, ranks);
    measured.local.insert(measured.local.end(), local.begin(), local.end());
    if (std::vector<double> ready = message_values(one, "gradient_ready_time"); !ready.empty())
      measured.ready.push_back(std::move(ready));
    if (std::vector<ShardMoments> sharded = shard_moments(one); !sharded.empty())
      measured.sharded.push_back(std::move(sharded));
  }

  const Benchmark& benchmark_;
  SameMachine machine_;
};

}  // namespace

MeasuredTraining scaled(MeasuredTraining measured, double factor) {
  measured.factor = factor;
  measured.step.clear();
  measured.nodes.clear();
  for (double& seconds : measured.local) seconds *= factor;
  for (std::vector<double>& run : measured.ready) {
    for (double& seconds : run) seconds *= factor;
  }
  for (std::vector<ShardMoments>& run : measured.sharded) {
    for (ShardMoments& one : run) {
      one.started *= factor;
      one.needed *= factor;
    }
  }
  return measured;
}

std::vector<TrainingRows> read_training_rows(const std::vector<std::string>& paths,
                                             const Benchmark& benchmark) {
  TrainingGatherer gatherer(benchmark);
  for (const std::filesystem::path& file : find_all_runs({paths.begin(), paths.end()}))
    gatherer.read(file);
  std::vector<TrainingRows> all;
  for (auto& [key, rows] : gatherer.rows) all.push_back(std::move(rows));
  return all;
}

}  // namespace scalemark::cli
