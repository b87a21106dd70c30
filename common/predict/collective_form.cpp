// SPDX-License-Identifier: Apache-2.0
// The forms of each collective, their fit, and the choice among them by leaving out one number of
// ranks after the other.
#include "common/predict/collective_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/predict/conformal.hpp"

namespace scalemark::predict {
namespace {

double none(double) { return 0; }
double rounds(double p) { return std::ceil(std::log2(p)); }
double rounds_twice(double p) { return 2 * rounds(p); }
double others(double p) { return p - 1; }
double others_twice(double p) { return 2 * (p - 1); }
double rounds_and_others(double p) { return rounds(p) + p - 1; }
double share(double p) { return (p - 1) / p; }
double share_twice(double p) { return 2 * share(p); }
/// Where p is no power of two, the ranks beyond one send all they have to a neighbour first, and
/// get the result at the end.
double power_of_two(double p) { return std::exp2(std::floor(std::log2(p))); }
double folds(double p) { return p == power_of_two(p) ? 0 : 2; }
double rounds_folded(double p) { return rounds(power_of_two(p)) + folds(p); }
double rounds_twice_folded(double p) { return 2 * rounds(power_of_two(p)) + folds(p); }
double share_twice_folded(double p) { return 2 * share(power_of_two(p)) + folds(p); }
double others_twice_folded(double p) { return p * share_twice_folded(p); }
double half_of_all(double p) { return p / 2 * rounds(p); }
double pairs(double p) { return p * (p - 1); }

/// "one link": the messages of all ranks share one, the memory of a node for example.
constexpr std::array kAllreduce{
    CollectiveForm{"ring", others_twice, share_twice},
    CollectiveForm{"Rabenseifner", rounds_twice_folded, share_twice_folded},
    CollectiveForm{"recursive doubling", rounds_folded, rounds_folded},
    CollectiveForm{"binomial reduce and broadcast", rounds_twice, rounds_twice},
    CollectiveForm{"ring, one link", others_twice, others_twice},
    CollectiveForm{"Rabenseifner, one link", rounds_twice_folded, others_twice_folded}};
constexpr std::array kAllgather{CollectiveForm{"ring", others, others},
                                CollectiveForm{"recursive doubling", rounds, others},
                                CollectiveForm{"ring, one link", others, pairs},
                                CollectiveForm{"recursive doubling, one link", rounds, pairs}};
constexpr std::array kReduceScatter{CollectiveForm{"ring", others, share},
                                    CollectiveForm{"recursive halving", rounds, share},
                                    CollectiveForm{"ring, one link", others, others}};
constexpr std::array kBroadcast{
    CollectiveForm{"binomial", rounds, rounds},
    CollectiveForm{"scatter and ring", rounds_and_others, share_twice},
    CollectiveForm{"scatter and recursive doubling", rounds_twice, share_twice},
    CollectiveForm{"binomial, one link", rounds, others}};
constexpr std::array kReduce{CollectiveForm{"binomial", rounds, rounds},
                             CollectiveForm{"Rabenseifner", rounds_twice, share_twice},
                             CollectiveForm{"binomial, one link", rounds, others}};
constexpr std::array kAlltoall{CollectiveForm{"pairwise", others, others},
                               CollectiveForm{"Bruck", rounds, half_of_all},
                               CollectiveForm{"pairwise, one link", others, pairs}};
constexpr std::array kGather{CollectiveForm{"linear", others, others},
                             CollectiveForm{"binomial", rounds, others}};
constexpr std::array kBarrier{CollectiveForm{"dissemination", rounds, none},
                              CollectiveForm{"ring", others_twice, none}};

struct Named {
  std::string_view name;
  std::span<const CollectiveForm> forms;
};
constexpr std::array<Named, 9> kAll{{{"allgather", kAllgather},
                                     {"allreduce", kAllreduce},
                                     {"alltoall", kAlltoall},
                                     {"barrier", kBarrier},
                                     {"broadcast", kBroadcast},
                                     {"gather", kGather},
                                     {"reduce", kReduce},
                                     {"reduce_scatter", kReduceScatter},
                                     {"scatter", kGather}}};

/// What differs by less cannot be told apart.
constexpr double kEqualErrors = 0.02;
/// Measured sizes that count, on either side of the one asked for.
constexpr std::size_t kSizesBeside = 2;

using Times = std::vector<CollectiveTime>;

struct Coefficients {
  double step = 0, byte = 0;
};

/// Least squares of (a x + b y) / t - 1 with a and b of at least 0.
Coefficients solve(const CollectiveForm& form, const Times& times) {
  double xx = 0, xy = 0, yy = 0, x = 0, y = 0;
  for (const CollectiveTime& one : times) {
    const double steps = form.steps(one.ranks) / one.seconds;
    const double volume = one.bytes * form.volume(one.ranks) / one.seconds;
    xx += steps * steps, xy += steps * volume, yy += volume * volume;
    x += steps, y += volume;
  }
  const double determinant = xx * yy - xy * xy;
  if (determinant > 1e-12 * xx * yy) {
    const Coefficients both{(x * yy - y * xy) / determinant, (y * xx - x * xy) / determinant};
    if (both.step >= 0 && both.byte >= 0) return both;
  }
  // One of them alone: the one that leaves less, which is the sum of squares minus x^2 / xx.
  const bool only_steps = yy == 0 || (xx > 0 && x * x / xx >= y * y / yy);
  return only_steps ? Coefficients{x / xx, 0} : Coefficients{0, y / yy};
}

double value(const CollectiveForm& form, const Coefficients& of, double ranks, double bytes) {
  return of.step * form.steps(ranks) + of.byte * bytes * form.volume(ranks);
}

std::set<int> numbers_of_ranks(std::span<const CollectiveTime> times) {
  std::set<int> numbers;
  for (const CollectiveTime& one : times) numbers.insert(one.ranks);
  return numbers;
}

FittedForm fit(const CollectiveForm& form, std::span<const CollectiveTime> times) {
  const Times all(times.begin(), times.end());
  const auto [step, byte] = solve(form, all);
  FittedForm fitted{.form = form, .step_seconds = step, .byte_seconds = byte, .residuals = {}};
  for (const int left_out : numbers_of_ranks(times)) {
    Times others_of_it = all;
    std::erase_if(others_of_it, [&](const CollectiveTime& one) { return one.ranks == left_out; });
    const Coefficients without = solve(form, others_of_it);
    double sum = 0, count = 0;
    for (const CollectiveTime& one : all) {
      if (one.ranks != left_out) continue;
      fitted.residuals.push_back(
          std::log(one.seconds / value(form, without, one.ranks, one.bytes)));
      sum += std::abs(fitted.residuals.back());
      ++count;
    }
    fitted.error = std::max(fitted.error, sum / count);
  }
  return fitted;
}

void check(std::span<const CollectiveTime> times) {
  for (const CollectiveTime& one : times) {
    if (one.ranks < 2 || !(one.bytes >= 0) || !(one.seconds > 0) || !std::isfinite(one.bytes) ||
        !std::isfinite(one.seconds))
      throw Error("a collective's form needs times of two or more ranks that are positive");
  }
  if (numbers_of_ranks(times).size() < 2)
    throw Error("a collective's form needs times of at least two numbers of ranks");
}

/// The times of the measured sizes next to `bytes`.
Times beside(std::span<const CollectiveTime> times, double bytes) {
  std::set<double> sizes;
  for (const CollectiveTime& one : times) sizes.insert(one.bytes);
  const auto at = sizes.lower_bound(bytes);
  auto first = at, last = at;
  for (std::size_t i = 0; i < kSizesBeside && first != sizes.begin(); ++i) --first;
  if (last != sizes.end() && *last == bytes) ++last;
  for (std::size_t i = 0; i < kSizesBeside && last != sizes.end(); ++i) ++last;
  Times used;
  for (const CollectiveTime& one : times) {
    if (one.bytes >= *first && (last == sizes.end() || one.bytes < *last)) used.push_back(one);
  }
  return used;
}

}  // namespace

std::span<const CollectiveForm> forms_of(std::string_view collective) {
  const auto* found = std::ranges::find(kAll, collective, &Named::name);
  return found == kAll.end() ? std::span<const CollectiveForm>() : found->forms;
}

std::vector<std::string> collectives_with_forms() {
  std::vector<std::string> names;
  for (const Named& one : kAll) names.emplace_back(one.name);
  return names;
}

double FittedForm::at(int ranks, double bytes) const {
  return value(form, {step_seconds, byte_seconds}, ranks, bytes);
}

std::vector<FittedForm> fit_forms(std::string_view collective,
                                  std::span<const CollectiveTime> times) {
  const std::span<const CollectiveForm> forms = forms_of(collective);
  if (forms.empty()) throw Error(fmt::format("{} has no forms", collective));
  check(times);
  std::vector<FittedForm> fitted;
  for (const CollectiveForm& form : forms) fitted.push_back(fit(form, times));
  std::ranges::stable_sort(fitted, {}, &FittedForm::error);
  return fitted;
}

CollectivePrediction predict_collective(std::string_view collective,
                                        std::span<const CollectiveTime> times, int ranks,
                                        double bytes, double level) {
  check(times);
  CollectivePrediction prediction;
  prediction.used = beside(times, bytes);
  prediction.ranks_used = numbers_of_ranks(prediction.used).size();
  prediction.forms = fit_forms(collective, prediction.used);
  const double limit = prediction.forms.front().error + kEqualErrors;
  std::erase_if(prediction.forms, [&](const FittedForm& one) { return !(one.error <= limit); });
  prediction.seconds = prediction.low = prediction.high = prediction.forms.front().at(ranks, bytes);
  for (const FittedForm& one : prediction.forms) {
    prediction.low = std::min(prediction.low, one.at(ranks, bytes));
    prediction.high = std::max(prediction.high, one.at(ranks, bytes));
  }
  prediction.half_width = conformal_half_width(prediction.forms.front().residuals, level);
  return prediction;
}

}  // namespace scalemark::predict
