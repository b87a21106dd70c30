// SPDX-License-Identifier: Apache-2.0
// Gathers times by series, size and number of ranks, over all runs.
#include "common/cli/commands/predict_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/analysis/message_costs.hpp"
#include "common/base/error.hpp"
#include "common/base/key.hpp"
#include "common/cli/commands/same_machine.hpp"
#include "common/core/benchmark.hpp"
#include "common/predict/schedule.hpp"
#include "common/result/software_gpu.hpp"
#include "common/stats/distributions.hpp"
#include "common/stats/summary.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

/// Ranks of one node and as many of several take different times: runs of both are no repetition.
struct Place {
  int ranks = 0;
  double bytes = 0;
  int nodes = 0;
  auto operator<=>(const Place&) const = default;
};

struct Series {
  Point point;
  bool has_sizes = false;
  std::map<Place, std::vector<double>> logs;  ///< of the time in s, one per run
  std::set<std::string> runs;                 ///< UUIDs
};

class Gatherer {
 public:
  Gatherer(std::string benchmark, std::vector<std::string> wanted)
      : benchmark_(std::move(benchmark)),
        declared_(Registry::instance().find(benchmark_)),
        wanted_(std::move(wanted)) {}

  void read(const std::filesystem::path& file) {
    Run header;
    bool was_checked = false, is_mpi_checked = false;
    visit_run(
        file, {},
        {.header =
             [&](Run run) {
               refuse_software_gpu(run);
               header = std::move(run);
             },
         .one_case =
             [&](const CaseResult& one) {
               if (!add(header, one)) return;
               if (!std::exchange(was_checked, true)) machine_.expect(file, header);
               if (one.params.text("backend", "") == "mpi" && !std::exchange(is_mpi_checked, true))
                 mpi_machine_.expect(file, header);
             }});
  }

  std::map<std::string, Series> series;

 private:
  /// Whether the case is a row that was wanted.
  bool add(const Run& run, const CaseResult& one) {
    if (one.name != benchmark_) return false;
    Point point = declared_ == nullptr ? one.params : declared_->with_implied(one.params);
    if (!has_words(point, wanted_)) return false;
    // Forms are of one collective of all ranks.
    for (const char* axis : {"groups", "aggregate"}) {
      const auto* at_once = point.find_as<std::int64_t>(axis);
      if (at_once != nullptr && *at_once != 1) return false;
    }
    const auto* ranks = one.params.find_as<std::int64_t>("ranks");
    const auto* bytes = one.params.find_as<std::int64_t>("bytes");
    if (ranks == nullptr || *ranks < 2 || *ranks > predict::kMaxRanks) return false;
    if (bytes != nullptr && *bytes < 0) return false;
    const std::optional<double> seconds = analysis::operation_seconds(one);
    if (!seconds) return false;
    // The keys of older and of imported files may name implied values.
    const std::string key = declared_ == nullptr ? one.key : declared_->key_of(point);
    Series& into = series[key_without(key, {"bytes", "ranks"})];
    into.has_sizes = bytes != nullptr;
    const Place place{static_cast<int>(*ranks), bytes == nullptr ? 0 : static_cast<double>(*bytes),
                      nodes_of(run, *ranks)};
    into.logs[place].push_back(std::log(*seconds));
    into.runs.insert(run.uuid);
    for (const char* axis : {"bytes", "ranks"}) point.erase(axis);
    into.point = std::move(point);
    return true;
  }

  std::string benchmark_;
  const Benchmark* declared_;  ///< null in a program without it
  std::vector<std::string> wanted_;
  SameMachine machine_, mpi_machine_{SameMachine::Kind::messages};
};

CollectiveRows rows_of(const std::string& key, const Series& series) {
  std::vector<std::vector<double>> by_place;
  for (const auto& [place, values] : series.logs) by_place.push_back(values);
  CollectiveRows rows{.key = key,
                      .point = series.point,
                      .has_sizes = series.has_sizes,
                      .times = {},
                      .runs = series.runs.size(),
                      .run_deviation = pooled_deviation(by_place)};
  for (const auto& [place, logs] : series.logs) rows.nodes = std::max(rows.nodes, place.nodes);
  for (const auto& [place, logs] : series.logs) {
    auto& into = rows.nodes > 1 && place.nodes < 2 ? rows.one_node : rows.times;
    into.push_back({place.ranks, place.bytes, std::exp(stats::mean(logs)), place.nodes});
  }
  return rows;
}

}  // namespace

int nodes_of(const Run& run, std::int64_t ranks) {
  std::set<std::string> nodes;
  for (const RankInfo& one : run.ranks) {
    if (one.rank < ranks) nodes.insert(one.node);
  }
  return static_cast<int>(nodes.size());
}

double pooled_deviation(const std::vector<std::vector<double>>& groups) {
  double squares = 0;
  std::size_t freedom = 0;
  for (const std::vector<double>& values : groups) {
    if (values.empty()) continue;
    const double mean = stats::mean(values);
    for (const double one : values) squares += (one - mean) * (one - mean);
    freedom += values.size() - 1;
  }
  return freedom == 0 ? 0 : std::sqrt(squares / static_cast<double>(freedom));
}

double interval_factor(double half_width, double run_deviation, double level) {
  const double run = stats::normal_quantile((1 + level) / 2) * run_deviation;
  return std::exp(std::hypot(half_width, run));
}

std::set<int> ranks_in(const std::vector<predict::CollectiveTime>& times) {
  std::set<int> ranks;
  for (const predict::CollectiveTime& one : times) ranks.insert(one.ranks);
  return ranks;
}

bool has_words(const Point& point, const std::vector<std::string>& words) {
  return std::ranges::all_of(words, [&](const std::string& one) {
    const std::size_t equals = one.find('=');
    const Value* const value = point.find(one.substr(0, equals));
    return value != nullptr && equals != std::string::npos &&
           to_text(*value) == one.substr(equals + 1);
  });
}

std::vector<CollectiveRows> read_collective_rows(const std::vector<std::string>& paths,
                                                 const std::string& benchmark,
                                                 const std::vector<std::string>& wanted) {
  Gatherer gatherer(benchmark, wanted);
  for (const std::filesystem::path& file : find_all_runs({paths.begin(), paths.end()}))
    gatherer.read(file);
  std::vector<CollectiveRows> all;
  for (const auto& [key, series] : gatherer.series) all.push_back(rows_of(key, series));
  return all;
}

}  // namespace scalemark::cli
