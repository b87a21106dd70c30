// SPDX-License-Identifier: Apache-2.0
// Checks time series and quantiles against their golden files.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/golden/field.hpp"
#include "common/stats/autocorrelation.hpp"
#include "common/stats/golden/checks.hpp"
#include "common/stats/quantiles.hpp"
#include "common/stats/steadiness.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::stats {
namespace {

using golden::Field;
using golden::Report;

void close(const Field& field, double got, double relative, double absolute, Report& report) {
  const double want = field.number_or_missing();
  report.all_close(field.path(), std::span(&got, 1), std::span(&want, 1), relative, absolute);
}

void equal(const Field& field, std::size_t got, Report& report) {
  const std::int64_t want = field.integer();
  report.exact(field.path(), static_cast<std::int64_t>(got) == want,
               fmt::format("got {}, want {}", got, want));
}

void equal(const Field& field, bool got, Report& report) {
  const bool want = field.boolean();
  report.exact(field.path(), got == want, fmt::format("got {}, want {}", got, want));
}

void check_time(const Field& field, const Autocorrelation& got, Report& report) {
  close(field["tau_raw"], got.tau_raw, 1e-10, 1e-10, report);
  close(field["tau"], got.tau, 1e-10, 1e-10, report);
  close(field["n_eff"], got.n_eff, 1e-10, 1e-10, report);
  equal(field["pairs"], got.pairs, report);
  equal(field["constant"], got.constant, report);
}

void check_interval(const Field& field, const MedianInterval& got, Report& report) {
  close(field["median"], got.median, 1e-15, 0, report);
  equal(field["rank_low"], got.rank_low, report);
  equal(field["rank_high"], got.rank_high, report);
  close(field["low"], got.low, 0, 0, report);
  close(field["high"], got.high, 0, 0, report);
  equal(field["clamped"], got.clamped, report);
}

void check_mser5(const Field& field, const Mser5& got, Report& report) {
  equal(field["batches"], got.batches, report);
  equal(field["d_star"], got.d_star, report);
  equal(field["truncate"], got.truncate(), report);
  close(field["statistic"], got.statistic, 1e-9, 1e-20, report);
  equal(field["at_limit"], got.at_limit, report);
  equal(field["too_short"], got.too_short, report);
}

std::vector<double> sorted_values(const Field& field) {
  std::vector<double> values = field.numbers();
  std::ranges::sort(values);
  return values;
}

/// Thousandths of a percentage in a key: "99.9" gives 999.
std::int64_t thousandths(const std::string& percent) {
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(percent, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != percent.size() || !(value >= 0 && value <= 100))
    throw InputError(fmt::format("'{}' is no percentage", text::printable(percent, 40)));
  return std::lround(value * 10);
}

void check_array(const Field& array, Report& report) {
  array["name"].note();
  const std::vector<double> x = sorted_values(array["x"]);
  if (x.empty()) return report.exact(array.path() + ".x", false, "no values");
  equal(array["n"], x.size(), report);
  const double most = std::max(std::abs(x.front()), std::abs(x.back()));
  for (const std::string& percent : array["type7"].keys()) {
    const std::int64_t k = thousandths(percent);
    // The larger of the two neighbouring values; its rounding error is allowed.
    const auto place = static_cast<std::size_t>(k) * (x.size() - 1) / 1000;
    const double near =
        std::max(std::abs(x[place]), std::abs(x[std::min(place + 1, x.size() - 1)]));
    close(array["type7"][percent], type7(x, k), 1e-14, 4e-16 * near, report);
  }
  for (const std::string& percent : array["nearest_rank"].keys()) {
    const std::int64_t k = thousandths(percent);
    close(array["nearest_rank"][percent], nearest_rank(x, k), 0, 0, report);
  }
  const double absolute = 1e-15 * most;
  close(array["median"], type7(x, 500), 1e-12, absolute, report);
  close(array["q1"], type7(x, 250), 1e-12, absolute, report);
  close(array["q3"], type7(x, 750), 1e-12, absolute, report);
  close(array["iqr"], interquartile_range(x), 1e-12, absolute, report);
  close(array["mad"], median_absolute_deviation(x), 1e-12, absolute, report);
  close(array["mad_normal"], mad(x), 1e-12, absolute, report);
  if (!array.has("harrell_davis_deciles")) return;
  const Field deciles = array["harrell_davis_deciles"];
  report.all_close(deciles.path(), harrell_davis_deciles(x), deciles.numbers(), 0, 1e-12 * most);
}

}  // namespace

void check_series(const nlohmann::json& file, const golden::Options& /*options*/, Report& report) {
  const Field root(file);
  for (const char* note : {"topic", "description"}) {
    if (root.has(note)) root[note].note();
  }
  const double z = root["z"].number();
  const Field series = root["series"];
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Field one = series[i];
    for (const char* note : {"name", "note"}) {
      if (one.has(note)) one[note].note();
    }
    const std::vector<double> x = one["x"].numbers();
    const std::vector<double> in_order = sorted_values(one["x"]);
    if (x.empty()) {
      report.exact(one.path() + ".x", false, "no values");
      continue;
    }
    equal(one["n"], x.size(), report);
    const Autocorrelation values = autocorrelation(x), signs = sign_autocorrelation(x);
    check_time(one["ess"], values, report);
    check_time(one["ess_sign"], signs, report);
    check_interval(one["median_ci"], order_statistic_interval(in_order, values.n_eff, z), report);
    check_interval(one["median_ci_sign"], order_statistic_interval(in_order, signs.n_eff, z),
                   report);
    check_mser5(one["mser5"], mser5(x), report);
  }
  root.report_unknown(report);
}

void check_quantiles(const nlohmann::json& file, const golden::Options& /*options*/,
                     Report& report) {
  const Field root(file);
  for (const char* note : {"topic", "description"}) {
    if (root.has(note)) root[note].note();
  }
  const Field arrays = root["arrays"];
  for (std::size_t i = 0; i < arrays.size(); ++i) check_array(arrays[i], report);
  root.report_unknown(report);
}

}  // namespace scalemark::stats
