// SPDX-License-Identifier: Apache-2.0
// Times devices with all ranks together, and with one rank at a time.
#include "suites/micro/memory/device_turns.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "suites/micro/data/rank_values.hpp"

namespace scalemark::micro {
namespace {

/// Ranks leave a barrier within some microseconds; samples must be long compared with that.
constexpr double kSampleSeconds = 500e-6;
constexpr int kAloneSamples = 50;

}  // namespace

DeviceTurns::DeviceTurns(Case& c, std::function<std::uint64_t(std::uint64_t)> work, double bytes,
                         bool on_gpu)
    : c_(c), work_(std::move(work)), bytes_(bytes), on_gpu_(on_gpu) {}

std::uint64_t DeviceTurns::together(std::uint64_t inner) {
  c_.ranks().barrier();
  taken_.push_back(work_(inner));
  return taken_.back();
}

std::uint64_t DeviceTurns::in_turn(std::uint64_t inner) {
  for (int rank = 0; rank < c_.size(); ++rank) {
    c_.ranks().barrier();
    if (rank == c_.rank()) taken_.push_back(work_(inner));
  }
  c_.ranks().barrier();  // keeps later work from disturbing the last rank
  return taken_.back();
}

double DeviceTurns::median_of_last(std::size_t timed, const std::string& metric) const {
  const auto found = std::ranges::find(c_.result().metrics, metric, &Metric::name);
  const auto begin = taken_.end() - static_cast<std::ptrdiff_t>(timed);
  return median_ns({begin, taken_.end()}) / static_cast<double>(found->samples.inner);
}

void DeviceTurns::record_losses(double alone, double time) {
  const double loss = 1 - alone / time;
  c_.record("loss", "1", Better::lower, MetricKind::ratio, RankReduce::max,
            std::vector<double>{loss}, "1 - alone_time / time");
  const std::vector<double> numbers =
      c_.ranks().gather(std::vector<double>{bytes_ / alone * 1e9, bytes_ / time * 1e9, loss});
  if (c_.rank() != 0) return;
  std::vector<std::uint64_t> ranks;
  std::vector<std::string> places, devices;
  std::vector<std::vector<double>> columns(3);
  for (int rank = 0; rank < c_.size(); ++rank) {
    ranks.push_back(static_cast<std::uint64_t>(rank));
    const RankInfo& info = c_.hardware().place(rank);
    places.push_back(place_text(info));
    devices.push_back(on_gpu_ ? info.gpu_pci : "host");
    for (std::size_t i = 0; i < columns.size(); ++i)
      columns[i].push_back(numbers.at(static_cast<std::size_t>(rank) * columns.size() + i));
  }
  c_.recorder().table("devices", {.columns = {{"rank", "", std::move(ranks)},
                                              {"place", "", std::move(places)},
                                              {"device", "", std::move(devices)},
                                              {"alone_bandwidth", "By/s", std::move(columns[0])},
                                              {"bandwidth", "By/s", std::move(columns[1])},
                                              {"loss", "1", std::move(columns[2])}}});
}

void DeviceTurns::measure(std::uint64_t inner) {
  const bool one = c_.text("devices") == "one";
  MeasureOptions options{.metric = "time", .inner = inner, .barrier = false};
  if (c_.size() == 1) {
    c_.measure_timed(work_, options);
    return;
  }
  const Case::Communicating inside(c_, true);
  options.inner_time = kSampleSeconds;
  const auto each_in_turn = [&](std::uint64_t n) { return in_turn(n); };
  if (one) {
    c_.measure_timed(each_in_turn, options);
    return;
  }
  const std::size_t timed = c_.measure_timed([&](std::uint64_t n) { return together(n); }, options);
  const double time = median_of_last(timed, "time");
  c_.record_rate("total_bandwidth", "By/s", "time", c_.size() * bytes_, "ranks * bytes / time");
  options.metric = "alone_time";
  options.secondary = true;
  options.max_samples = kAloneSamples;
  const std::size_t timed_alone = c_.measure_timed(each_in_turn, options);
  c_.record_rate("alone_bandwidth", "By/s", "alone_time", bytes_, "bytes / alone_time");
  record_losses(median_of_last(timed_alone, "alone_time"), time);
}

void devices_axis(Benchmark& benchmark) {
  benchmark.axis("devices", {.values = {"one", "all"}, .defaults = {"all"}, .implied = "all"});
  benchmark.adjust([](Point& point) {
    if (point.integer("ranks") == 1) point["devices"] = std::string("all");
  });
}

}  // namespace scalemark::micro
