// SPDX-License-Identifier: Apache-2.0
// Compares values with golden values.
#include "common/golden/report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/golden/fill.hpp"

namespace scalemark::golden {
namespace {

std::map<std::string, Check>& registered() {
  static std::map<std::string, Check> checks;
  return checks;
}

std::map<std::string, Recognise>& recognisers() {
  static std::map<std::string, Recognise> tests;
  return tests;
}

/// Sum with Neumaier's compensation in extended precision: for sums of this length, exact to the
/// last bit of a double.
class ExactSum {
 public:
  void add(long double value) {
    const long double next = sum_ + value;
    lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }
  double value() const { return static_cast<double>(sum_ + lost_); }

 private:
  long double sum_ = 0, lost_ = 0;
};

struct Sums {
  double sum, abs_sum, weighted_sum;
};

Sums sums_of(std::span<const double> values) {
  ExactSum sum, abs_sum, weighted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum.add(values[i]);
    abs_sum.add(std::abs(values[i]));
    weighted.add(static_cast<long double>(values[i]) * static_cast<long double>(sym(0, 0, i)));
  }
  return {sum.value(), abs_sum.value(), weighted.value()};
}

/// Largest |got - want|; NaN if any difference is NaN.
double largest_error(std::span<const double> got, std::span<const double> want) {
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(got[i] - want[i]);
    if (std::isnan(error)) return error;
    largest = std::max(largest, error);
  }
  return largest;
}

bool is_list_of_numbers(const nlohmann::json& value) {
  return value.is_array() &&
         std::ranges::all_of(value, [](const auto& one) { return one.is_number(); });
}

/// Whether `want` is a valid digest: all fields have their types, and it has at least one of first,
/// last and values.
bool is_digest(const nlohmann::json& want) {
  if (!want.is_object() || !want.contains("n") || !want.at("n").is_number_integer()) return false;
  if (want.at("n") < 0) return false;
  for (const auto* sum : {"sum", "abs_sum", "weighted_sum"}) {
    if (!want.contains(sum) || !want.at(sum).is_number()) return false;
  }
  bool has_edge = false;
  for (const auto* edge : {"first", "last", "values"}) {
    if (!want.contains(edge)) continue;
    if (!is_list_of_numbers(want.at(edge))) return false;
    has_edge = true;
  }
  return has_edge;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "pass";
    case Outcome::fail:
      return "fail";
    case Outcome::skipped:
      return "skipped";
  }
  return "fail";
}

void Report::add(Item item) {
  items_.push_back(std::move(item));
  if (listener_) listener_(items_.back());
}

void Report::near(const std::string& item, double got, double want, double tolerance) {
  const double error = std::abs(got - want);
  const bool good = error <= tolerance;  // false for NaN
  add({file_, item, good ? Outcome::pass : Outcome::fail,
       good ? "" : fmt::format("got {:.17g}, want {:.17g}", got, want), error, tolerance});
}

void Report::all_near(const std::string& item, std::span<const double> got,
                      std::span<const double> want, double tolerance) {
  if (got.size() != want.size()) {
    exact(item, false, fmt::format("{} values, want {}", got.size(), want.size()));
    return;
  }
  const double error = largest_error(got, want);
  const bool good = error <= tolerance;
  add({file_, item, good ? Outcome::pass : Outcome::fail,
       good ? "" : fmt::format("largest error {:.3g}", error), error, tolerance});
}

void Report::all_close(const std::string& item, std::span<const double> got,
                       std::span<const double> want, double relative, double absolute) {
  if (got.size() != want.size())
    return exact(item, false, fmt::format("{} values, want {}", got.size(), want.size()));
  double worst = -1, worst_error = 0, worst_allowed = absolute;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) continue;
    const double error = std::abs(got[i] - want[i]);
    const double allowed = relative * std::abs(want[i]) + absolute;
    if (!(error <= allowed) || !std::isfinite(error)) {
      add({file_, item, Outcome::fail,
           fmt::format("value {}: got {:.17g}, want {:.17g}", i, got[i], want[i]), error, allowed});
      return;
    }
    if (error / allowed <= worst) continue;
    worst = error / allowed;
    worst_error = error;
    worst_allowed = allowed;
  }
  add({file_, item, Outcome::pass, "", worst_error, worst_allowed});
}

void Report::exact(const std::string& item, bool equal, const std::string& detail) {
  add({file_, item, equal ? Outcome::pass : Outcome::fail, equal ? "" : detail});
}

void Report::digest(const std::string& item, std::span<const double> got,
                    const nlohmann::json& want, double relative, double absolute_edge) {
  if (!is_digest(want))
    return exact(item, false, "the file has no digest here (n, sums, and first, last or values)");
  const auto n = want.at("n").get<std::size_t>();
  if (got.size() != n) {
    exact(item, false, fmt::format("{} values, want {}", got.size(), n));
    return;
  }
  const double scale = want.at("abs_sum").get<double>();
  const Sums sums = sums_of(got);
  near(item + ".sum", sums.sum, want.at("sum").get<double>(), relative * scale);
  near(item + ".abs_sum", sums.abs_sum, scale, relative * scale);
  near(item + ".weighted_sum", sums.weighted_sum, want.at("weighted_sum").get<double>(),
       relative * scale);
  // Neighbouring values belong to one layer, whose magnitude may differ from the mean of all
  // values.
  const auto edge_of = [&](const std::vector<double>& values) {
    if (absolute_edge >= 0) return absolute_edge;
    const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
    const double rms = values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
    return relative * std::max(scale / static_cast<double>(std::max<std::size_t>(n, 1)), rms);
  };
  const auto compare_edge = [&](const char* field, bool from_end) {
    if (!want.contains(field)) return;
    const auto values = want.at(field).get<std::vector<double>>();
    if (values.size() > n)
      return exact(item + "." + field, false, "more values than the tensor has");
    all_near(item + "." + field, got.subspan(from_end ? n - values.size() : 0, values.size()),
             values, edge_of(values));
  };
  compare_edge("first", false);
  compare_edge("last", true);
  compare_edge("values", false);
}

void Report::skip(const std::string& item, const std::string& reason) {
  add({file_, item, Outcome::skipped, reason});
}

void Report::unknown(const std::string& item) { skip(item, "unknown field"); }

double fp32_tolerance(double usual, double library_error) {
  return std::max(usual, 1.5 * library_error);
}

bool register_topic(const std::string& topic, Check check, Recognise recognise) {
  if (!registered().emplace(topic, check).second)
    throw Error(fmt::format("topic '{}' is registered twice", topic));
  if (recognise != nullptr) recognisers().emplace(topic, recognise);
  return true;
}

std::string topic_of(const nlohmann::json& file) {
  if (file.contains("topic"))
    return file.at("topic").is_string() ? file.at("topic").get<std::string>() : "";
  for (const auto& [topic, recognise] : recognisers()) {
    if (recognise(file)) return topic;
  }
  return "";
}

const std::map<std::string, Check>& topics() { return registered(); }

}  // namespace scalemark::golden
