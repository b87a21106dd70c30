// SPDX-License-Identifier: Apache-2.0
// Cost of the host clock, and UTC time stamps.
#include "common/base/clock.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>

#include <fmt/format.h>

namespace scalemark {

double clock_cost_ns() {
  // One call takes about as long as the clock's resolution: time batches of calls and take the
  // median.
  constexpr std::size_t kBatches = 101;
  constexpr std::size_t kCalls = 100;
  std::array<double, kBatches> cost{};
  for (double& batch : cost) {
    const std::uint64_t begin = now_ns();
    std::uint64_t end = begin;
    for (std::size_t call = 0; call < kCalls; ++call) end = now_ns();
    batch = static_cast<double>(end - begin) / static_cast<double>(kCalls);
  }
  std::nth_element(cost.begin(), cost.begin() + kBatches / 2, cost.end());
  return cost[kBatches / 2];
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(now - seconds).count();
  const std::time_t time = std::chrono::system_clock::to_time_t(seconds);
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     milliseconds);
}

std::optional<double> utc_seconds(const std::string& stamp) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  if (stamp.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < stamp.size(); ++i) {
    const bool digit = stamp[i] >= '0' && stamp[i] <= '9';
    if (kForm[i] == '0' ? !digit : stamp[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [&](std::size_t begin, std::size_t count) {
    return std::stoi(stamp.substr(begin, count));
  };
  const std::chrono::year_month_day day(std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2))));
  if (!day.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 60)
    return std::nullopt;
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  return static_cast<double>(days) * 86400 + number(11, 2) * 3600 + number(14, 2) * 60 +
         number(17, 2) + number(20, 3) / 1000.0;
}

}  // namespace scalemark
