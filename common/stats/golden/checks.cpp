// SPDX-License-Identifier: Apache-2.0
// Registers the golden checks of the statistics.
#include "common/stats/golden/checks.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace scalemark::stats {
namespace {

bool has_list(const nlohmann::json& file, const char* name) {
  return file.contains(name) && file.at(name).is_array() && !file.at(name).empty() &&
         file.at(name).front().is_object();
}

bool is_special(const nlohmann::json& file) {
  constexpr std::array kOfSpecial = {
      "t_cdf",    "t_quantile",       "beta_inc",   "log_gamma",      "digamma",
      "trigamma", "trigamma_inverse", "normal_cdf", "normal_quantile"};
  return std::ranges::any_of(kOfSpecial, [&](const char* name) { return has_list(file, name); });
}
bool is_series(const nlohmann::json& file) { return has_list(file, "series"); }
bool is_quantiles(const nlohmann::json& file) { return has_list(file, "arrays"); }
bool is_adjusted(const nlohmann::json& file) {
  return has_list(file, "cases") && file.at("cases").front().contains("bh");
}
bool is_tables(const nlohmann::json& file) {
  return has_list(file, "cases") && file.at("cases").front().contains("runs_a");
}

}  // namespace

void register_golden_checks() {
  static const bool registered =
      golden::register_topic("stats_special", check_special, is_special) &&
      golden::register_topic("stats_adjusted", check_adjusted, is_adjusted) &&
      golden::register_topic("stats_tables", check_tables, is_tables) &&
      golden::register_topic("stats_series", check_series, is_series) &&
      golden::register_topic("stats_quantiles", check_quantiles, is_quantiles);
  static_cast<void>(registered);
}

}  // namespace scalemark::stats
