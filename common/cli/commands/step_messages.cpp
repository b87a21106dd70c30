// SPDX-License-Identifier: Apache-2.0
// Puts the times of messages to the moments at which a training starts and needs them.
#include "common/cli/commands/step_messages.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include "common/predict/step_schedule.hpp"
#include "common/result/point.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::cli {
namespace {

using Moments = std::vector<predict::StepMessageTimes>;

bool is_of(const StepMessage& one, const char* benchmark) { return one.benchmark == benchmark; }

/// Whether it is a message of DDP's gradients.
bool has_gradients(const StepMessage& one) {
  return one.component == "gradients" && is_of(one, "micro/allreduce");
}

bool is_of_shards(const StepMessage& one) {
  return is_of(one, "micro/allgather") || is_of(one, "micro/reduce_scatter");
}

/// The median over runs of a value of each, of those runs that have as many messages.
template <typename Run, typename Value>
std::optional<double> over_runs(const std::vector<Run>& runs, std::size_t count,
                                const Value& value) {
  std::vector<double> all;
  for (const Run& run : runs) {
    if (run.size() == count) all.push_back(value(run));
  }
  if (all.empty()) return std::nullopt;
  return stats::median(all);
}

/// DDP reduces buckets when their gradients are ready, and needs all when the last are.
std::optional<Moments> of_buckets(const MeasuredTraining& from,
                                  const std::vector<StepMessage>& messages) {
  Moments moments;
  for (const StepMessage& one : messages) {
    if (has_gradients(one))
      moments.insert(moments.end(), static_cast<std::size_t>(one.count),
                     {.seconds = one.time.seconds});
  }
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const auto ready =
        over_runs(from.ready, moments.size(), [&](const auto& run) { return run[i]; });
    if (!ready) return std::nullopt;
    moments[i].started = *ready;
  }
  for (predict::StepMessageTimes& one : moments) one.needed = moments.back().started;
  return moments;
}

/// Seconds of the message that has such a whole on `ranks`. Parts are padded, so that sizes differ
/// a little.
double seconds_of(const ShardMoments& one, const std::vector<StepMessage>& messages, int ranks) {
  const char* const benchmark = one.is_reduction ? "micro/reduce_scatter" : "micro/allgather";
  const double bytes = one.is_reduction ? one.bytes : one.bytes / ranks;
  const StepMessage* nearest = nullptr;
  for (const StepMessage& message : messages) {
    if (is_of(message, benchmark) &&
        (nearest == nullptr || std::abs(message.bytes - bytes) < std::abs(nearest->bytes - bytes)))
      nearest = &message;
  }
  return nearest == nullptr ? 0 : nearest->time.seconds;
}

/// FSDP's all-gathers and reduce-scatters, as the training started them.
std::optional<Moments> of_shards(const MeasuredTraining& from,
                                 const std::vector<StepMessage>& messages, int ranks) {
  std::size_t count = 0;
  for (const StepMessage& one : messages) {
    if (is_of_shards(one)) count += static_cast<std::size_t>(one.count);
  }
  const auto run = std::ranges::find(from.sharded, count, &std::vector<ShardMoments>::size);
  if (run == from.sharded.end()) return std::nullopt;
  Moments moments;
  for (std::size_t i = 0; i < count; ++i) {
    const auto median_of = [&](double ShardMoments::*moment) {
      return over_runs(from.sharded, count, [&](const auto& one) { return one[i].*moment; });
    };
    moments.push_back({.started = *median_of(&ShardMoments::started),
                       .needed = *median_of(&ShardMoments::needed),
                       .seconds = seconds_of((*run)[i], messages, ranks)});
  }
  return moments;
}

}  // namespace

std::optional<double> hidden_seconds(const TrainingRows& rows, const MeasuredTraining& from,
                                     const std::vector<StepMessage>& messages, int ranks) {
  if (rows.process_group == "mpi") return 0;
  const bool sharded = std::ranges::any_of(messages, is_of_shards);
  const std::optional<Moments> moments =
      sharded ? of_shards(from, messages, ranks) : of_buckets(from, messages);
  if (!moments || moments->empty()) return std::nullopt;
  double sum = 0;
  for (const predict::StepMessageTimes& one : *moments) sum += one.seconds;
  return sum - predict::waited_seconds(*moments);
}

std::vector<HiddenCollective> hidden_collectives(const std::vector<StepMessage>& messages) {
  std::vector<HiddenCollective> hidden;
  const auto take = [&](const StepMessage& one) {
    const std::string name = name_in_suite(one.benchmark);
    auto found = std::ranges::find(hidden, name, &HiddenCollective::name);
    if (found == hidden.end()) found = hidden.insert(found, {.name = name});
    found->seconds += one.total();
    found->bytes = std::max(found->bytes, one.bytes);
  };
  const StepMessage* last_gradients = nullptr;
  for (const StepMessage& one : messages) {
    if (is_of_shards(one)) take(one);
    if (!has_gradients(one)) continue;
    if (last_gradients != nullptr) take(*last_gradients);
    last_gradients = &one;
  }
  std::ranges::sort(hidden, std::greater<>{}, &HiddenCollective::seconds);
  return hidden;
}

}  // namespace scalemark::cli
