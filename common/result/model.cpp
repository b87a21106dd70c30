// SPDX-License-Identifier: Apache-2.0
// Names of the enumerations as they stand in files, and access to samples.
#include "common/result/model.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark {
namespace {

template <class Enum>
using Name = std::pair<Enum, std::string_view>;

constexpr std::array kStatus = {
    Name<Status>{Status::ok, "ok"}, Name<Status>{Status::skipped, "skipped"},
    Name<Status>{Status::failed, "failed"}, Name<Status>{Status::oom, "oom"},
    Name<Status>{Status::timeout, "timeout"}};
constexpr std::array kBetter = {Name<Better>{Better::lower, "lower"},
                                Name<Better>{Better::higher, "higher"},
                                Name<Better>{Better::none, "none"}};
constexpr std::array kKind = {
    Name<MetricKind>{MetricKind::duration, "duration"}, Name<MetricKind>{MetricKind::rate, "rate"},
    Name<MetricKind>{MetricKind::count, "count"}, Name<MetricKind>{MetricKind::ratio, "ratio"}};
constexpr std::array kReduce = {
    Name<RankReduce>{RankReduce::max, "max"}, Name<RankReduce>{RankReduce::mean, "mean"},
    Name<RankReduce>{RankReduce::root, "root"}, Name<RankReduce>{RankReduce::sum, "sum"}};

template <class Table, class Enum>
std::string_view name_of(const Table& table, Enum value) {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  throw Error(fmt::format("enumeration value {} has no name", static_cast<int>(value)));
}

template <class Table>
auto value_of(const Table& table, std::string_view text, const char* what) {
  std::vector<std::string> names;
  for (const auto& [value, name] : table) {
    if (name == text) return value;
    names.emplace_back(name);
  }
  throw InputError(fmt::format("{} \"{}\" is unknown; allowed: {}", what, text::printable(text, 64),
                               text::join(names, ", ")));
}

}  // namespace

std::string_view to_string(Status status) { return name_of(kStatus, status); }
Status status_from(std::string_view text) { return value_of(kStatus, text, "status"); }
std::string_view to_string(Better better) { return name_of(kBetter, better); }
Better better_from(std::string_view text) { return value_of(kBetter, text, "direction"); }
std::string_view to_string(MetricKind kind) { return name_of(kKind, kind); }
MetricKind metric_kind_from(std::string_view text) { return value_of(kKind, text, "metric kind"); }
std::string_view to_string(RankReduce reduce) { return name_of(kReduce, reduce); }
RankReduce rank_reduce_from(std::string_view text) {
  return value_of(kReduce, text, "rank reduction");
}

double Samples::value(std::size_t rank, std::size_t iteration) const {
  const std::size_t place = rank * iterations + iteration;
  const double sample =
      std::visit([place](const auto& held) { return static_cast<double>(held.at(place)); }, values);
  return sample * scale / static_cast<double>(inner);
}

const Metric* CaseResult::find(std::string_view metric) const {
  for (const Metric& candidate : metrics) {
    if (candidate.name == metric) return &candidate;
  }
  return nullptr;
}

}  // namespace scalemark
