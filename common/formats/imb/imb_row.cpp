// SPDX-License-Identifier: Apache-2.0
// IMB's statistics: least, largest and mean over ranks of each rank's mean.
#include "common/formats/imb/imb_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/formats/osu/osu_columns.hpp"
#include "common/print/printers.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::formats {
namespace {

constexpr double kImbMicroseconds = 1e6, kImbMegabytes = 1e6;

/// Seconds of an operation. Where a bandwidth leads, benchmarks call it `time`.
const Metric& imb_time_of(const CaseResult& result) {
  for (const std::string& name :
       {result.primary_metric, std::string("latency"), std::string("time")}) {
    const Metric* metric = result.find(name);
    if (metric != nullptr && metric->unit == "s") return *metric;
  }
  throw Error("it has no time");
}

/// The mean of each rank that measured this duration.
std::vector<double> means_of_ranks(const CaseResult& result, const char* name) {
  const Metric* metric = result.find(name);
  if (metric == nullptr || metric->unit != "s") throw Error(fmt::format("it has no {}", name));
  std::vector<double> means = rank_means(*metric);
  if (means.empty()) throw Error("its time is not a number");
  return means;
}

/// The mean of the rank `slowest`, or of the only one that measured it.
double mean_of_rank(const CaseResult& result, const char* name, std::size_t slowest) {
  const std::vector<double> means = means_of_ranks(result, name);
  return means[std::min(slowest, means.size() - 1)];
}

class RowMaker {
 public:
  RowMaker(const ImbTest& test, const CaseResult& result) : test_(test), result_(result) {}

  ImbRow row() {
    if (test_.has_size) {
      const std::int64_t own = print::param_integer(result_, "bytes").value_or(-1);
      if (own < 0) throw Error("it has no size");
      const std::int64_t factor = imb_size_factor(test_, result_.params);
      if (own > std::numeric_limits<std::int64_t>::max() / factor)
        throw Error("its size is too large");
      row_.bytes = own * factor;
    }
    const Metric& time = imb_time_of(result_);
    row_.repetitions = repetitions(result_, time.samples);
    add_cells(is_nonblocking_variant(test_, result_) ? ImbColumns::overlap : test_.columns, time);
    for (const ImbCell& cell : row_.cells)
      if (!std::isfinite(cell.value)) throw Error("its time is not a number");
    return row_;
  }

 private:
  void add_cells(ImbColumns columns, const Metric& time) {
    switch (columns) {
      case ImbColumns::time_rate: {
        const double slowest =
            spread_over_ranks(result_, time).value_or(osu_statistic(time)).maximum;
        add("t[usec]", slowest * kImbMicroseconds);
        return add_rate(slowest);
      }
      case ImbColumns::spread:
        add_spread(time);
        return;
      case ImbColumns::spread_rate:
        return add_rate(add_spread(time).maximum);
      case ImbColumns::messages:
        return add_messages(time);
      case ImbColumns::passive_target:
        add("t_pure[usec]", mean_of_rank(result_, "waiting_latency", 0) * kImbMicroseconds);
        return add("t_ovrl[usec]", mean_of_rank(result_, "latency", 0) * kImbMicroseconds);
      case ImbColumns::overlap:
        return add_overlap();
    }
  }

  void add(const char* heading, double value) { row_.cells.push_back({heading, value}); }

  OsuStatistic add_spread(const Metric& time) {
    const auto spread = spread_over_ranks(result_, time);
    if (!spread) throw Error("it has no times of single ranks");
    add("t_min[usec]", spread->minimum * kImbMicroseconds);
    add("t_max[usec]", spread->maximum * kImbMicroseconds);
    add("t_avg[usec]", spread->average * kImbMicroseconds);
    return *spread;
  }

  /// The rate that another program printed, else that of the slowest rank. 0 if the time is 0, as
  /// in IMB.
  void add_rate(double slowest, double pairs = 1) {
    const double bytes = test_.rate * pairs * static_cast<double>(row_.bytes.value_or(0));
    const double own = slowest == 0 ? 0 : bytes / slowest;
    add("Mbytes/sec", printed_number(result_, "bandwidth", "By/s").value_or(own) / kImbMegabytes);
  }

  /// Of windows, per message: those of both ranks where both send.
  void add_messages(const Metric& time) {
    const auto printed = printed_number(result_, "message_rate", "1/s");
    const bool both = print::param_text(result_, "bidirectional") == "true";
    const double window = static_cast<double>(print::param_integer(result_, "window").value_or(1));
    const double messages = printed ? 1 : window * (both ? 2 : 1);
    const double pairs =
        static_cast<double>(print::param_integer(result_, "ranks").value_or(2)) / 2;
    const OsuStatistic seconds = osu_statistic(time);
    const double average = seconds.average / messages;
    add("t_avg[usec]", average * kImbMicroseconds);
    add_rate(seconds.maximum / messages, pairs);
    const double threads = static_cast<double>(imb_size_factor(test_, result_.params));
    const double own = average == 0 ? 0 : pairs * threads / average;
    row_.cells.push_back({"Msg/sec", std::round(printed.value_or(own)), /*is_whole=*/true});
  }

  /// Of collectives: of the rank on which the operation beside computation takes longest, and a
  /// part of the longer of both. Of accesses to files: the largest of all ranks, and a part of the
  /// shorter of both (IMB_display_times).
  void add_overlap() {
    const bool is_of_files = test_.program == ImbProgram::io;
    const std::vector<double> means = means_of_ranks(result_, "overall_time");
    const auto longest = std::ranges::max_element(means);
    const auto rank = static_cast<std::size_t>(longest - means.begin());
    const double pure = is_of_files ? std::ranges::max(means_of_ranks(result_, "latency"))
                                    : mean_of_rank(result_, "latency", rank),
                 computing = mean_of_rank(result_, "compute_time", rank),
                 whole = is_of_files ? std::min(pure, computing) : std::max(pure, computing),
                 own = (pure + computing - *longest) / whole;
    add("t_ovrl[usec]", *longest * kImbMicroseconds);
    add("t_pure[usec]", pure * kImbMicroseconds);
    add("t_CPU[usec]", computing * kImbMicroseconds);
    add("overlap[%]",
        100 * printed_number(result_, "overlap_ratio", "1").value_or(std::clamp(own, 0.0, 1.0)));
  }

  const ImbTest& test_;
  const CaseResult& result_;
  ImbRow row_;
};

}  // namespace

bool is_nonblocking_variant(const ImbTest& test, const CaseResult& result) {
  return test.is_collective() && print::param_text(result, "call") == "nonblocking";
}

ImbRow imb_row_of(const ImbTest& test, const CaseResult& result) {
  const std::string call = print::param_text(result, "call");
  const bool has_call = call.empty() || call == "blocking" ||
                        is_nonblocking_variant(test, result) || test.program == ImbProgram::io;
  if (!has_call) throw Error(fmt::format("IMB has no {} call of it", call));
  const bool is_of_two =
      test.columns == ImbColumns::time_rate || test.columns == ImbColumns::passive_target;
  if (is_of_two && print::param_integer(result, "ranks") != 2)
    throw Error("IMB tests two ranks only");
  return RowMaker(test, result).row();
}

}  // namespace scalemark::formats
